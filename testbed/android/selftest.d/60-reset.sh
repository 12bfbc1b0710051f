check_60_reset() {
    ensure_probe
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    fault anr $PROBE
    fault slow 50
    fault front com.android.settings 3000
    sh_ 'settings put system user_rotation 1; settings put system accelerometer_rotation 0; settings put global mine 1'
    sh_ 'wm density 320; cmd clipboard set text mine; echo x >/data/local/tmp/mine; echo x >/sdcard/mine'
    (a shell 'sleep 100' </dev/null >/dev/null 2>&1) &
    sleep 0.5
    fault adbd no-shell-v2
    "$HERE/device" reset "$NAME" && ok "a reset" || bad "a reset"
    wait $!
    reconnect >/dev/null
    becomes device && ok "adbd is as ever" || bad "adbd is as ever"
    equal "no app is left" "" "$(sh_ pm list packages -3)"
    has "the launcher is in front" com.android.launcher3 "$(focus)"
    equal "no setting" null "$(sh_ settings get global mine)"
    has "the display is upright" mCurrentOrientation=0 "$(rotation)"
    equal "and as dense as it was" "Physical density: 480" "$(sh_ wm density)"
    equal "no clipboard" "" "$(sh_ cmd clipboard get text)"
    equal "no files" "" "$(sh_ 'ls /data/local/tmp /sdcard/ | grep mine')"
    equal "no process" "" "$(sh_ pidof sleep)"
    lacks "no log" ActivityTaskManager "$(sh_ logcat -d)"
    sleep 3
    has "and no fault that was still to come" com.android.launcher3 "$(focus)"
    ensure_probe
    has "apps start on it" "Status: ok" "$(sh_ am start -W -n $PROBE/.ProbeActivity)"
    a uninstall $PROBE >/dev/null 2>&1
}

check_61_leash() {
    local leash
    exec {leash}> >(exec "$HERE/device" up --api "$API" --name "$NAME-leash" --until-stdin-ends >/dev/null)
    for _ in $(seq 300); do [ -e "$CACHE/run/$NAME-leash/share/ready" ] && break; sleep 0.1; done
    has "a device on a leash is up" "$NAME-leash" "$("$HERE/device" list)"
    exec {leash}>&-
    for _ in $(seq 100); do [ -e "$CACHE/run/$NAME-leash" ] || break; sleep 0.1; done
    lacks "and goes when nobody holds it" "$NAME-leash" "$("$HERE/device" list)"
}
