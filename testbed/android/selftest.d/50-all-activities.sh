# How many of the 331 activities of ApiDemos are to open. Those that don't need extras, end by themselves or use what is not here.
LEAST=310

check_50_all_activities() {
    [ "$API" = 34 ] || return 0
    [ -n "$(sh_ pm path $APP)" ] || { fetch android-apidemos@5.0.0 apks/ApiDemos-debug.apk; a install --no-streaming -r "$SCRATCH/ApiDemos-debug.apk" >/dev/null 2>&1; }
    fetch android-apidemos@5.0.0 apks/ApiDemos-debug.apk
    command -v aapt >/dev/null || tools aapt
    aapt dump xmltree "$SCRATCH/ApiDemos-debug.apk" AndroidManifest.xml 2>/dev/null | awk '
        /E: / { element = $2 }
        element == "activity" && /A: android:name\(/ { sub(/.*="/, ""); sub(/".*/, ""); print; element = "" }' >"$SCRATCH/activities"
    equal "the app has its activities" 331 "$(wc -l <"$SCRATCH/activities")"
    a push "$SCRATCH/activities" /data/local/tmp/activities >/dev/null 2>&1
    sh_ 'settings put global hide_error_dialogs 1; logcat -c'
    local began open
    began=$(date +%s)
    sh_ "while read name; do echo \"= \$name\"; am start -W -n $APP/\$name </dev/null 2>&1; dumpsys window displays | grep mFocusedApp; done </data/local/tmp/activities" >"$SCRATCH/opened"
    # Opened: it said so, and the app is still in front with it or with what it opened in its turn.
    open=$(awk -v app="$APP/" '/^= / { ok = 0 } /^Status: ok/ { ok = 1 } /mFocusedApp=/ && ok && index($0, app) { print }' "$SCRATCH/opened" | wc -l)
    [ "$open" -ge $LEAST ] && ok "$open of 331 open in $(($(date +%s) - began)) s" || bad "at least $LEAST of 331 open" "$open
$(sh_ logcat -d -s AndroidRuntime:E | grep -A3 'FATAL EXCEPTION' | grep -v FATAL | head -20)"
    sh_ 'settings put global hide_error_dialogs 0'
    sh_ am force-stop $APP
}
