package testbed.device.pm;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The few places where an app's code would reach past its process, redirected: sockets are closed when the process dies,
 * and System.exit ends the app instead of the device.
 */
final class AppCode {
    private static final String SERVER = "java/net/ServerSocket";
    private static final String OWN_SERVER = "testbed/device/am/AppServerSocket";
    private static final String OWN_EXIT = "testbed/device/am/AppExit";

    private AppCode() {}

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            private boolean isServer;

            @Override
            public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
                isServer = SERVER.equals(parent);
                super.visit(version, access, name, signature, parent, interfaces);
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                return isServer ? next : new Calls(next);
            }
        }, 0);
        return writer.toByteArray();
    }

    private static final class Calls extends MethodVisitor {
        Calls(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, opcode == Opcodes.NEW && type.equals(SERVER) ? OWN_SERVER : type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (opcode == Opcodes.INVOKESPECIAL && owner.equals(SERVER) && name.equals("<init>")) owner = OWN_SERVER;
            boolean exits = opcode == Opcodes.INVOKESTATIC && owner.equals("java/lang/System") && name.equals("exit")
                    || opcode == Opcodes.INVOKESTATIC && owner.equals("android/os/Process") && name.equals("killProcess");
            if (exits) {
                owner = OWN_EXIT;
            } else if (opcode == Opcodes.INVOKEVIRTUAL && owner.equals("java/lang/Runtime") && (name.equals("exit") || name.equals("halt"))) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_EXIT, name, "(Ljava/lang/Runtime;I)V", false);
                return;
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }
}
