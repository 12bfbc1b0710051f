package dev.agentdevice.session;

import java.util.ArrayList;
import java.util.List;

/** One thread that runs small jobs at their time. Sockets have no write timeout; closing them from here is one. */
final class Watchdog {
    private static final class Job {
        final long atMs;
        final Runnable work;

        Job(long atMs, Runnable work) {
            this.atMs = atMs;
            this.work = work;
        }
    }

    private final Clock clock;
    private final List<Job> jobs = new ArrayList<Job>();
    private boolean stopped;

    Watchdog(Clock clock) {
        this.clock = clock;
    }

    void start() {
        Thread thread = new Thread("session-watchdog") {
            @Override
            public void run() {
                loop();
            }
        };
        thread.setDaemon(true);
        thread.start();
    }

    void stop() {
        synchronized (jobs) {
            stopped = true;
            jobs.notifyAll();
        }
    }

    /** Returns what calls the job off. */
    Runnable in(long ms, Runnable work) {
        final Job job = new Job(clock.nowMs() + ms, work);
        synchronized (jobs) {
            jobs.add(job);
            jobs.notifyAll();
        }
        return new Runnable() {
            @Override
            public void run() {
                synchronized (jobs) {
                    jobs.remove(job);
                }
            }
        };
    }

    private void loop() {
        while (true) {
            Job due = null;
            synchronized (jobs) {
                if (stopped) {
                    return;
                }
                Job next = null;
                for (Job job : jobs) {
                    if (next == null || job.atMs < next.atMs) {
                        next = job;
                    }
                }
                long left = next == null ? 60000 : next.atMs - clock.nowMs();
                if (left > 0) {
                    try {
                        jobs.wait(left);
                    } catch (InterruptedException e) {
                        return;
                    }
                } else {
                    jobs.remove(next);
                    due = next;
                }
            }
            if (due != null) {
                due.work.run();
            }
        }
    }
}
