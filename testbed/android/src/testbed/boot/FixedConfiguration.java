package testbed.boot;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.ResourcesMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.annotation.experimental.LazyApplication;
import org.robolectric.pluginapi.config.ConfigurationStrategy;

/** What a test runner would read from annotations: one fixed answer for the whole life of the device. */
final class FixedConfiguration implements ConfigurationStrategy.Configuration {
    private final Map<Class<?>, Object> values = new LinkedHashMap<>();

    FixedConfiguration(int api, String qualifiers) {
        values.put(Config.class, new Config.Builder().setQualifiers(qualifiers).build());
        values.put(ConscryptMode.Mode.class, ConscryptMode.Mode.OFF);
        values.put(LooperMode.Mode.class, LooperMode.Mode.PAUSED);
        values.put(LazyApplication.LazyLoad.class, LazyApplication.LazyLoad.OFF);
        values.put(GraphicsMode.Mode.class, api < 26 ? GraphicsMode.Mode.LEGACY : GraphicsMode.Mode.NATIVE);
        values.put(SQLiteMode.Mode.class, SQLiteMode.Mode.NATIVE);
        values.put(ResourcesMode.Mode.class, ResourcesMode.Mode.BINARY);
    }

    @Override
    public <T> T get(Class<T> type) {
        return type.cast(values.get(type));
    }

    @Override
    public Collection<Class<?>> keySet() {
        return values.keySet();
    }

    @Override
    public Map<Class<?>, Object> map() {
        return values;
    }
}
