package dev.agentdevice.helper.capture;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.w3c.dom.Element;

import java.io.ByteArrayInputStream;

import javax.xml.parsers.DocumentBuilderFactory;

public class XmlWriterTest {
    static Element parse(XmlWriter xml) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.bytes(), 0, xml.length())).getDocumentElement();
    }

    private static String written(CharSequence value) throws Exception {
        XmlWriter xml = new XmlWriter();
        xml.begin();
        xml.openNode();
        xml.attribute("text", value);
        xml.closeNode();
        xml.end(0);
        return ((Element) parse(xml).getFirstChild()).getAttribute("text");
    }

    @Test
    public void theDocumentIsExactlyThat() {
        XmlWriter xml = new XmlWriter();
        xml.begin();
        xml.openNode();
        xml.attribute("index", 0);
        xml.openNode();
        xml.attribute("enabled", true);
        xml.attribute("checked", false);
        xml.bounds("bounds", -320, 0, 10000, 123456);
        xml.closeNode();
        xml.openNode();
        xml.attribute("text", "a&b<c>d\"e'f\n\r\tg");
        xml.closeNode();
        xml.closeNode();
        xml.end(3);
        assertEquals("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"3\">"
                + "<node index=\"0\"><node enabled=\"true\" checked=\"false\" bounds=\"[-320,0][10000,123456]\" />"
                + "<node text=\"a&amp;b&lt;c&gt;d&quot;e&apos;f&#10;&#13;&#9;g\" /></node></hierarchy>", xml.toString());
    }

    @Test
    public void everyNumberIsWrittenAsJavaWouldWriteIt() {
        for (int value : new int[] {0, 1, 9, 10, 99, 100, 101, 999, 1000, 1010, 9999, 10000, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            XmlWriter xml = new XmlWriter();
            xml.attribute("n", value);
            assertEquals(" n=\"" + value + "\"", xml.toString());
        }
    }

    @Test
    public void everyCharacterComesBackOrIsReplaced() throws Exception {
        StringBuilder given = new StringBuilder();
        StringBuilder wanted = new StringBuilder();
        for (int c = 0; c < 0x10000; c++) {
            boolean legal = c == 9 || c == 10 || c == 13 || c >= 0x20 && c < 0xd800 || c >= 0xe000 && c < 0xfffe;
            // The letter between them keeps surrogates apart.
            given.append((char) c).append('a');
            wanted.append(legal ? (char) c : '\ufffd').append('a');
        }
        assertEquals(wanted.toString(), written(given));
    }

    @Test
    public void surrogatesAreKeptInPairsOnly() throws Exception {
        assertEquals("\ud83c\udf89", written("\ud83c\udf89"));
        assertEquals("\ufffda", written("\ud83ca"));
        assertEquals("\ufffd", written("\ud83c"));
        assertEquals("\ufffd\ud83c\udf89", written("\udf89\ud83c\udf89"));
        assertEquals("\ufffd\ud83c\udf89", written("\ud83c\ud83c\udf89"));
        assertEquals("\udbff\udffd", written("\udbff\udffd"));
    }

    @Test
    public void textThatLooksLikeMarkupStaysText() throws Exception {
        String nasty = "]]> <!-- --> &amp; &#0; <?x?> \"><node text='";
        assertEquals(nasty, written(nasty));
    }

    @Test
    public void goingBackLeavesNoTrace() throws Exception {
        XmlWriter xml = new XmlWriter();
        xml.begin();
        xml.openNode();
        xml.closeNode();
        int mark = xml.length();
        xml.openNode();
        xml.attribute("text", "half");
        xml.closeNode();
        xml.truncate(mark);
        xml.openNode();
        xml.truncate(mark);
        xml.openNode();
        xml.attribute("text", "whole");
        xml.closeNode();
        xml.end(0);
        assertEquals("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node />"
                + "<node text=\"whole\" /></hierarchy>", xml.toString());
    }

    @Test
    public void theLastCharacterOfAPasswordIsHidden() {
        assertEquals("\u2022\u2022\u2022", Secrets.masked("\u2022\u2022e").toString());
        assertEquals("\u2022", Secrets.masked("e").toString());
        assertEquals("Password", Secrets.masked("Password").toString());
        assertEquals("", Secrets.masked("").toString());
    }
}
