package testbed.device.pm;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The few places where an app's code would reach past its process, redirected: sockets are closed when the process dies,
 * System.exit ends the app instead of the device, pid and uid are the app's, and threads end with it.
 */
final class AppCode {
    private static final String SERVER = "java/net/ServerSocket";
    private static final String OWN_SERVER = "testbed/device/am/AppServerSocket";
    private static final String OWN_EXIT = "testbed/device/am/AppExit";
    private static final String OWN_THREADS = "testbed/device/am/AppThreads";
    private static final String PROCESS = "android/os/Process";
    /** Methods, of whatever class, in which threads are made. */
    private static final Set<String> THREAD_MAKERS = Set.of("start", "execute", "submit", "schedule", "scheduleAtFixedRate",
            "scheduleWithFixedDelay", "invokeAll", "invokeAny", "supplyAsync", "runAsync", "prestartAllCoreThreads");

    private AppCode() {}

    static byte[] rewrite(byte[] bytes, int process) {
        try {
            return rewrite(bytes, process, true);
        } catch (MethodTooLargeException e) {
            return rewrite(bytes, process, false);
        }
    }

    private static byte[] rewrite(byte[] bytes, int process, boolean checked) {
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
                if (isServer) return next;
                return checked && !name.startsWith("<") ? new Checks(new Calls(next, process), process) : new Calls(next, process);
            }
        }, 0);
        return writer.toByteArray();
    }

    /** Asks at the beginning and before every way back whether the process still lives. */
    private static final class Checks extends MethodVisitor {
        private final int process;
        private final Set<Label> passed = new HashSet<>();

        Checks(MethodVisitor next, int process) {
            super(Opcodes.ASM9, next);
            this.process = process;
        }

        private void check() {
            super.visitLdcInsn(process);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_THREADS, "check", "(I)V", false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            check();
        }

        @Override
        public void visitLabel(Label label) {
            passed.add(label);
            super.visitLabel(label);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if (passed.contains(label)) check();
            super.visitJumpInsn(opcode, label);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            super.visitMaxs(stack + 1, locals);
        }
    }

    private static final class Calls extends MethodVisitor {
        private final int process;

        Calls(MethodVisitor next, int process) {
            super(Opcodes.ASM9, next);
            this.process = process;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, opcode == Opcodes.NEW && type.equals(SERVER) ? OWN_SERVER : type);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (opcode == Opcodes.INVOKESPECIAL && owner.equals(SERVER) && name.equals("<init>")) owner = OWN_SERVER;
            if (opcode == Opcodes.INVOKESTATIC && owner.equals(PROCESS) && (name.equals("myPid") || name.equals("myUid"))) {
                super.visitLdcInsn(process);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_EXIT, name, "(I)I", false);
                return;
            }
            boolean exits = opcode == Opcodes.INVOKESTATIC && owner.equals("java/lang/System") && name.equals("exit")
                    || opcode == Opcodes.INVOKESTATIC && owner.equals(PROCESS) && name.equals("killProcess");
            if (exits) {
                owner = OWN_EXIT;
            } else if (opcode == Opcodes.INVOKEVIRTUAL && owner.equals("java/lang/Runtime") && (name.equals("exit") || name.equals("halt"))) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_EXIT, name, "(Ljava/lang/Runtime;I)V", false);
                return;
            }
            boolean makesThreads = opcode != Opcodes.INVOKESTATIC && THREAD_MAKERS.contains(name) || owner.equals("java/util/Timer") && name.equals("<init>");
            if (makesThreads) {
                super.visitLdcInsn(process);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_THREADS, "enter", "(I)V", false);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            if (makesThreads) super.visitMethodInsn(Opcodes.INVOKESTATIC, OWN_THREADS, "leave", "()V", false);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            super.visitMaxs(stack + 1, locals);
        }
    }
}
