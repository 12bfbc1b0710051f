package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.view.InputDevice;
import android.view.MotionEvent;

import dev.agentdevice.helper.touch.Injector;
import dev.agentdevice.helper.touch.MotionSchedule;
import dev.agentdevice.helper.touch.MotionStep;
import dev.agentdevice.helper.touch.Taps;
import dev.agentdevice.helper.touch.TouchPlan;
import dev.agentdevice.session.Failure;

import java.util.LinkedHashMap;
import java.util.Map;

/** Plays gestures on the screen. */
public final class Touches {
    private static final long CONNECT_MS = 8000;

    private final Automation automation;

    public Touches(Automation automation) {
        this.automation = automation;
    }

    public Map<String, String> play(TouchPlan plan) throws Failure {
        long start = UptimeClock.INSTANCE.nowMs();
        Injector injector = injector();
        injector.run(plan, MotionSchedule.of(plan));
        return facts(plan.kind, injector, start);
    }

    public Map<String, String> tap(Taps taps) throws Failure {
        long start = UptimeClock.INSTANCE.nowMs();
        if (taps.aim != null) {
            try {
                Targets.require(automation.get(CONNECT_MS), taps.aim, taps.x, taps.y);
            } catch (Exception e) {
                throw Failure.beforeStart(e).with("injectedEvents", 0).with("attemptedEvents", 0);
            }
        }
        Injector injector = injector();
        TouchPlan press = TouchPlan.press(taps.x, taps.y, taps.holdMs);
        injector.run(press, MotionSchedule.ofPresses(taps.holdMs, taps.count, taps.gapMs));
        return facts("tap", injector, start);
    }

    private static Map<String, String> facts(String kind, Injector injector, long start) {
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", kind);
        out.put("injectedEvents", Integer.toString(injector.injected()));
        out.put("elapsedMs", Long.toString(UptimeClock.INSTANCE.nowMs() - start));
        return out;
    }

    private Injector injector() throws Failure {
        final UiAutomation connection;
        try {
            connection = automation.get(CONNECT_MS);
        } catch (Exception e) {
            throw Failure.beforeStart(e).with("injectedEvents", 0).with("attemptedEvents", 0);
        }
        return new Injector(new Injector.Screen() {
            @Override
            public boolean inject(MotionStep step, TouchPlan plan, long startMs) {
                MotionEvent event = event(step, plan, startMs);
                try {
                    return automation.inject(connection, event, step.waits);
                } finally {
                    event.recycle();
                }
            }
        }, UptimeClock.INSTANCE);
    }

    private static MotionEvent event(MotionStep step, TouchPlan plan, long startMs) {
        MotionEvent.PointerProperties[] properties = new MotionEvent.PointerProperties[step.pointers];
        MotionEvent.PointerCoords[] coords = new MotionEvent.PointerCoords[step.pointers];
        for (int i = 0; i < step.pointers; i++) {
            properties[i] = new MotionEvent.PointerProperties();
            properties[i].id = i;
            properties[i].toolType = MotionEvent.TOOL_TYPE_FINGER;
            coords[i] = new MotionEvent.PointerCoords();
            coords[i].x = plan.x(i, step.sample);
            coords[i].y = plan.y(i, step.sample);
            coords[i].pressure = 1;
            coords[i].size = 1;
        }
        return MotionEvent.obtain(startMs + step.downOffsetMs, startMs + step.offsetMs, step.action, step.pointers, properties, coords,
                0, 0, 1, 1, 0, 0, InputDevice.SOURCE_TOUCHSCREEN, 0);
    }
}
