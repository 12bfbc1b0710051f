# pixel X Y: of the screen, as red green blue; the raw picture has a head of 16 bytes
pixel() {
    a exec-out screencap </dev/null >"$SCRATCH/screen.raw"
    python3 -c 'import struct, sys
data = open(sys.argv[1], "rb").read()
width = struct.unpack("<I", data[:4])[0]
at = 16 + 4 * (int(sys.argv[3]) * width + int(sys.argv[2]))
print(*data[at:at + 3])' "$SCRATCH/screen.raw" "$1" "$2"
}
rotation() { sh_ dumpsys display | grep -o 'mCurrentOrientation=.'; }
root_bounds() { dump; grep -o 'bounds="[^"]*"' "$SCRATCH/window.xml" | head -1; }

check_46_screen() {
    ensure_probe
    sh_ am force-stop $PROBE
    sh_ 'settings put system accelerometer_rotation 0; settings put system user_rotation 0'
    if [ "$API" -ge 26 ]; then
        sh_ am start -W -n $PROBE/.SecretActivity --ez open true >/dev/null
        comes "a picture of the screen" "255 0 0" pixel 500 1200
        sh_ am force-stop $PROBE
        sh_ am start -W -n $PROBE/.SecretActivity >/dev/null
        comes "a secure window is black in it" "0 0 0" pixel 500 1200
        sh_ am force-stop $PROBE
    fi
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    sh_ settings put system user_rotation 1
    comes "user_rotation turns the display" mCurrentOrientation=1 rotation
    comes "and the app" 'bounds="[0,0][2400,1080]"' root_bounds
    equal "wm size stays" "Physical size: 1080x2400" "$(sh_ wm size)"
    if [ "$API" -ge 26 ]; then
        a exec-out screencap -p </dev/null >"$SCRATCH/screen.png"
        has "a picture lies too" "PNG image data, 2400 x 1080" "$(file "$SCRATCH/screen.png")"
    fi
    sh_ settings put system accelerometer_rotation 1
    comes "the sensor turns it back" mCurrentOrientation=0 rotation
    comes "and the app with it" 'bounds="[0,0][1080,2400]"' root_bounds
    sh_ settings put system accelerometer_rotation 0
    comes "fixed, it turns to the user's choice" mCurrentOrientation=1 rotation
    sh_ settings put system user_rotation 0
    comes "and upright again" mCurrentOrientation=0 rotation
}

check_47_logcat() {
    ensure_probe
    sh_ am force-stop $PROBE
    sh_ logcat -c
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    shows "pid="
    local pid uid line
    pid=$(sh_ pidof $PROBE)
    uid=$(sh_ pm list packages -U $PROBE | sed 's/.*uid://')
    line=$(sh_ logcat -d -v threadtime,epoch,uid -s Probe:W | grep created)
    [[ $line =~ ^\ ?[0-9]{10}\.[0-9]{3}\ $uid:\ *$pid\ +$pid\ W\ Probe\ +:\ created\ in\ $pid$ ]] && ok "threadtime with epoch and uid" || bad "threadtime with epoch and uid" "$line"
    line=$(sh_ logcat -d -s Probe | grep created)
    [[ $line =~ ^[0-9]{2}-[0-9]{2}\ [0-9:]{8}\.[0-9]{3}\ +$pid\ +$pid\ W\ Probe\ +:\ created ]] && ok "threadtime is the format" || bad "threadtime is the format" "$line"
    has "brief" "W/Probe   (" "$(sh_ logcat -d -v brief -s Probe)"
    equal "--pid leaves only that process" "" "$(sh_ logcat -d -v brief --pid=$pid | grep -v "^---" | grep -v "( *$pid)")"
    has "-T and a count" "created in" "$(sh_ logcat -d -T 1 -s Probe)"
    has "-T and a moment" "created in" "$(sh_ logcat -d -T "'01-01 00:00:00.000'" -s Probe)"
    lacks "a later moment" "created in" "$(sh_ logcat -d -T 4102444800.000 -s Probe)"
    equal "-e picks by a pattern" 1 "$(sh_ logcat -d -e 'created.in' -v raw | grep -c created)"
    a shell logcat -s Probe </dev/null >"$SCRATCH/follow" 2>&1 &
    local follower=$!
    sleep 0.5
    sh_ am start -W -a android.intent.action.VIEW -d probe://more >/dev/null
    for _ in $(seq 50); do [ "$(grep -c created "$SCRATCH/follow")" = 2 ] && break; sleep 0.1; done
    equal "following shows what comes" 2 "$(grep -c created "$SCRATCH/follow")"
    kill $follower
    wait $follower 2>/dev/null
    has "an unknown format" "Invalid parameter" "$(sh_ logcat -d -v nonsense 2>&1)"
}

check_48_installs() {
    ensure_probe
    [ -e "$SCRATCH/probe.apk" ] || probe "$SCRATCH/probe.apk" "$SCRATCH/key" 2
    probe "$SCRATCH/old.apk" "$SCRATCH/key" 1
    probe "$SCRATCH/other.apk" "$SCRATCH/key2" 3
    has "an older version" "Failure [INSTALL_FAILED_VERSION_DOWNGRADE" "$(a install --no-streaming -r "$SCRATCH/old.apk" 2>&1)"
    has "is let in with -d" Success "$(a install --no-streaming -r -d "$SCRATCH/old.apk" 2>&1)"
    has "another signature" "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE" "$(a install --no-streaming -r "$SCRATCH/other.apk" 2>&1)"
    equal "changes nothing" "package:$PROBE versionCode:1" "$(sh_ pm list packages --show-versioncode $PROBE)"
    has "not again without leave" "Failure [INSTALL_FAILED_ALREADY_EXISTS" "$(a push "$SCRATCH/probe.apk" /data/local/tmp/p.apk >/dev/null 2>&1; sh_ pm install -R /data/local/tmp/p.apk)"
    has "a file that isn't there" "Failure [INSTALL_FAILED_INVALID_URI" "$(sh_ pm install /data/local/tmp/nowhere.apk)"
    equal "the current user" 0 "$(sh_ am get-current-user)"
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    sh_ "touch /data/data/$PROBE/files/mine"
    equal "pm clear" Success "$(sh_ pm clear --user 0 $PROBE)"
    has "takes the data" "No such file" "$(sh_ ls /data/data/$PROBE/files/mine 2>&1)"
    equal "and the process" "" "$(sh_ pidof $PROBE)"
    equal "pm clear of nobody" Failed "$(sh_ pm clear no.body)"
    has "uninstall" Success "$(a uninstall $PROBE 2>&1)"
    has "another signature is welcome now" Success "$(a install --no-streaming "$SCRATCH/other.apk" 2>&1)"
    a uninstall $PROBE >/dev/null 2>&1
}
