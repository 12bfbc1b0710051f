package dev.agentdevice.helper.touch;

import dev.agentdevice.helper.capture.Tree;
import dev.agentdevice.helper.capture.XmlWriter;
import dev.agentdevice.session.Base64;
import dev.agentdevice.session.WireErrors;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a touch is meant for, and whether that is still where the touch will land. A host decides on a capture; until its touch
 * comes, the screen may have moved on.
 */
public final class Aim {
    /** Nothing was touched. */
    public static final class TargetChangedException extends RuntimeException implements WireErrors.Named {
        public TargetChangedException(String message) {
            super(message);
        }

        @Override
        public String wireName() {
            return "TargetChangedException";
        }
    }

    /** Reads one kind of node for a touch. */
    public interface Reader<N> extends Tree<N> {
        /** Whether it can be seen and its place holds the point. */
        boolean holds(N node, float x, float y);

        CharSequence type(N node);

        CharSequence id(N node);

        /** Text, description and hint; each may be null. */
        CharSequence[] names(N node);

        /** Whether it takes touches. */
        boolean acts(N node);

        /** Its place in the order in which siblings are drawn; negative = not known. */
        int order(N node);
    }

    /** What was found below a point. */
    public enum Found { TARGET, COVERED, OTHER, UNKNOWN }

    /** So many nodes lie on top of each other at most; of more nobody can tell in time. */
    private static final int MAX_NODES = 2000;

    private final String type;
    private final String id;
    private final String name;

    Aim(String type, String id, String name) {
        this.type = type;
        this.id = id;
        this.name = name;
    }

    /** Of {@code {"class":…,"id":…,"name":…}}, each of which may be left out. */
    public static Aim fromBase64(String payload) {
        Object json = Json.parse(Base64.decodeText(payload));
        if (!(json instanceof Map)) {
            throw new IllegalArgumentException("an aim is an object");
        }
        Map<?, ?> aim = (Map<?, ?>) json;
        return new Aim(text(aim, "class"), text(aim, "id"), text(aim, "name"));
    }

    private static String text(Map<?, ?> aim, String key) {
        Object value = aim.get(key);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException(key + " of an aim is a string");
        }
        return (String) value;
    }

    <N> boolean is(N node, Reader<N> reader) {
        return (type == null || type.contentEquals(orEmpty(reader.type(node))))
                && (id == null || hasId(orEmpty(reader.id(node))))
                && (name == null || hasName(reader.names(node)));
    }

    private static CharSequence orEmpty(CharSequence text) {
        return text == null ? "" : text;
    }

    /** Hosts may leave out the package of an id. */
    private boolean hasId(CharSequence found) {
        String whole = found.toString();
        return whole.equals(id) || whole.endsWith(":id/" + id);
    }

    private boolean hasName(CharSequence[] names) {
        for (CharSequence found : names) {
            if (found != null && XmlWriter.legal(found).equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** A node on the way down, with its children that hold the point. */
    private static final class Level<N> {
        final List<N> children = new ArrayList<N>();
        int next;
        int taken = -1;
    }

    /** Looks at what lies below the point within one window. Releases what it gets, but not the root. */
    public <N> Found below(N root, float x, float y, Reader<N> reader) {
        if (!reader.holds(root, x, y)) {
            return Found.OTHER;
        }
        List<Level<N>> way = new ArrayList<Level<N>>();
        int[] budget = {MAX_NODES};
        try {
            boolean found = is(root, reader);
            if (!found) {
                way.add(level(root, x, y, reader, budget));
            }
            while (!found && !way.isEmpty()) {
                Level<N> level = way.get(way.size() - 1);
                if (level.next >= level.children.size()) {
                    release(way.remove(way.size() - 1), reader);
                    continue;
                }
                level.taken = level.next++;
                N node = level.children.get(level.taken);
                found = is(node, reader);
                if (!found) {
                    way.add(level(node, x, y, reader, budget));
                }
            }
            if (budget[0] < 0) {
                return Found.UNKNOWN;
            }
            if (!found) {
                return Found.OTHER;
            }
            return covered(way, x, y, reader, budget) ? Found.COVERED : Found.TARGET;
        } finally {
            for (Level<N> level : way) {
                release(level, reader);
            }
        }
    }

    private static <N> Level<N> level(N node, float x, float y, Reader<N> reader, int[] budget) {
        Level<N> level = new Level<N>();
        int count = reader.childCount(node);
        for (int i = 0; i < count && --budget[0] >= 0; i++) {
            N child = reader.child(node, i);
            if (child == null) {
                continue;
            }
            boolean holds = false;
            try {
                holds = reader.holds(child, x, y);
            } finally {
                if (holds) {
                    level.children.add(child);
                } else {
                    reader.release(child);
                }
            }
        }
        return level;
    }

    private static <N> void release(Level<N> level, Reader<N> reader) {
        for (N node : level.children) {
            reader.release(node);
        }
    }

    /** Whether a sibling of a node on the way is drawn later and takes the touch. */
    private static <N> boolean covered(List<Level<N>> way, float x, float y, Reader<N> reader, int[] budget) {
        for (Level<N> level : way) {
            int own = reader.order(level.children.get(level.taken));
            for (int i = 0; i < level.children.size(); i++) {
                N sibling = level.children.get(i);
                if (i != level.taken && own >= 0 && reader.order(sibling) > own && takes(sibling, x, y, reader, budget)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static <N> boolean takes(N top, float x, float y, Reader<N> reader, int[] budget) {
        if (reader.acts(top)) {
            return true;
        }
        List<Level<N>> way = new ArrayList<Level<N>>();
        way.add(level(top, x, y, reader, budget));
        try {
            while (!way.isEmpty()) {
                Level<N> level = way.get(way.size() - 1);
                if (level.next >= level.children.size()) {
                    release(way.remove(way.size() - 1), reader);
                    continue;
                }
                N node = level.children.get(level.next++);
                if (reader.acts(node)) {
                    return true;
                }
                way.add(level(node, x, y, reader, budget));
            }
            return false;
        } finally {
            for (Level<N> level : way) {
                release(level, reader);
            }
        }
    }
}
