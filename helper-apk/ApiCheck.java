import java.io.File;
import java.io.FileInputStream;
import java.util.Collections;
import org.codehaus.mojo.animal_sniffer.SignatureChecker;
import org.codehaus.mojo.animal_sniffer.logging.PrintWriterLogger;

/** Prints every reference of our class files in a folder to what a signature file does not have. */
public final class ApiCheck {
    public static void main(String[] arguments) throws Exception {
        SignatureChecker checker = new SignatureChecker(new FileInputStream(arguments[0]), Collections.singleton("dev.agentdevice.*"),
                new PrintWriterLogger(System.out));
        checker.setSourcePath(Collections.<File>emptyList());
        checker.process(new File(arguments[1]));
    }
}
