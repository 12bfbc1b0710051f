package testbed.probe;

/** The same, launched single top. */
public final class TopActivity extends ProbeActivity {}
