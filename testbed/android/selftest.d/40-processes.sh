PROBE=testbed.probe

# Builds the probe app: probe OUT.apk KEYSTORE VERSION
probe() {
    local tool jar=$CACHE/compile/dalvik-dx-9.0.0_r3.jar
    for tool in aapt apksigner zipalign zip; do command -v "$tool" >/dev/null || tools aapt apksigner zipalign zip android-framework-res; done
    [ -e "$jar" ] || (. "$HERE/lib/prepare.sh"; copy_artifact com.jakewharton.android.repackaged:dalvik-dx:9.0.0_r3 "$CACHE/compile")
    "$HERE/probe/build" "$1" "$2" "$3" "$CACHE/compile/android-all-14-robolectric-10818077.jar" "$jar" >"$SCRATCH/probe.log" 2>&1 ||
        { cat "$SCRATCH/probe.log" >&2; return 1; }
}

text_of() { python3 - "$SCRATCH/window.xml" "$1" <<'PY'
import sys, xml.etree.ElementTree as tree
for node in tree.parse(sys.argv[1]).iter("node"):
    if node.get("text").startswith(sys.argv[2]):
        print(node.get("text"))
        break
PY
}
view() { sh_ am start -W -a android.intent.action.VIEW -d "$1" 2>&1; }

check_40_links() {
    [ -e "$SCRATCH/probe.apk" ] || probe "$SCRATCH/probe.apk" "$SCRATCH/key" 2 || { bad "the probe app builds"; return; }
    has "the probe app installs" Success "$(a install --no-streaming -r "$SCRATCH/probe.apk" 2>&1)"
    has "a link opens its app" "Activity: $PROBE/.ProbeActivity" "$(view probe://one)"
    see "with its data" "intent 1 probe://one"
    has "another link" "LaunchState: WARM" "$(view probe://two)"
    see "makes another instance" "instance 2"
    has "the task's own link again" "currently running top-most instance" "$(view probe://one)"
    has "a link to a single top activity" "Status: ok" "$(view probe-top://a)"
    shows "intent 1 probe-top://a"
    has "and one more" "currently running top-most instance" "$(view probe-top://b)"
    see "goes to the same instance" "intent 2 probe-top://b"
    sh_ input keyevent 3
    comes "HOME leaves it" "com.android.launcher3" focus
    has "from the launcher too" "Status: ok" "$(view probe-top://c)"
    see "it comes to the front with the new intent" "intent 3 probe-top://c"
    has "the probe app is updated" Success "$(a install --no-streaming -r "$SCRATCH/probe.apk" 2>&1)"
    has "links survive an update" "LaunchState: COLD" "$(view probe://three)"
    see "and are delivered" "intent 1 probe://three"
}

ticks() { sh_ "cd /data/data/$PROBE/files && md5sum thread looper pool main"; }

check_41_process() {
    sh_ am force-stop $PROBE
    view probe://one >/dev/null
    shows "pid="
    equal "Process.myPid is what pidof says" "pid=$(sh_ pidof $PROBE)" "$(text_of pid= | cut -d' ' -f1)"
    equal "Process.myUid is what the package manager says" "$(sh_ pm list packages -U $PROBE | sed 's/.*uid:/uid=/')" "$(text_of pid= | cut -d' ' -f2)"
    has "its log lines carry its pid" "created in $(sh_ pidof $PROBE)" "$(sh_ "logcat -d --pid=\$(pidof $PROBE)")"
    local before port
    before=$(ticks)
    sleep 0.3
    [ "$before" != "$(ticks)" ] && ok "its threads run" || bad "its threads run"
    has "its receiver answers" 'result=7, data="pong"' "$(sh_ am broadcast -p $PROBE -a $PROBE.PING)"
    port=$(a forward tcp:0 localabstract:$PROBE)
    equal "an abstract socket sees adbd's uid" "uid 0" "$(request "$port" x)"
    equal "and another app's" "self $(text_of pid= | cut -d' ' -f2 | tr = ' ' | sed 's/uid/uid/')" "$(request "$port" self)"
    fault reset-sockets $PROBE
    equal "it listens on after a reset" "uid 0" "$(request "$port" x)"
    sh_ am force-stop $PROBE
    sleep 0.5
    before=$(ticks)
    sleep 0.5
    equal "force-stop ends every thread" "$before" "$(ticks)"
    equal "and the process" "" "$(sh_ pidof $PROBE)"
    equal "and the receiver" "Broadcast completed: result=0" "$(sh_ am broadcast -p $PROBE -a $PROBE.PING | tail -1)"
    equal "and the socket" "" "$(request "$port" x 2>/dev/null)"
    lacks "and the windows" $PROBE "$(sh_ dumpsys window windows)"
    a forward --remove tcp:"$port"

    view probe://one >/dev/null
    tap Block &
    sleep 2
    equal "a force-stop gets through a blocked main thread" rc=0 "$(timeout 10 $ADB -P $PORT -s "$SERIAL" shell am force-stop $PROBE </dev/null; echo rc=$?)"
    wait $!
    has "and the device goes on" "LaunchState: COLD" "$(timeout 20 $ADB -P $PORT -s "$SERIAL" shell am start -W -n $PROBE/.ProbeActivity </dev/null)"
}

check_42_rebuild() {
    local build copy=$SCRATCH/rebuild sums
    build=$(cat "$CACHE/run/$NAME/build")
    sums=$(cd "$build" && find . -type f | sort | xargs sha256sum | sha256sum)
    cp -r "$HERE" "$copy"
    echo '// changed' >>"$copy/src/testbed/device/Device.java"
    # As old as what is thrown away, were it not in use.
    touch -d '3 days ago' "$build"
    "$copy/device" prepare --api "$API" 2>/dev/null && ok "a changed source is built" || bad "a changed source is built"
    equal "the running device's build stays as it was" "$sums" "$(cd "$build" && find . -type f | sort | xargs sha256sum | sha256sum)"
    has "and the device loads classes from it" "Physical size" "$(sh_ wm size)"
    sh_ monkey -p nobody 1 >/dev/null
    equal "that it hasn't loaded before" 252 "$(sh_ 'monkey -p nobody 1 >/dev/null; echo $?')"
}
