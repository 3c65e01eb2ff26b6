import { expect, test } from 'vitest';
import { SETTING_FLAGS } from './setting-flags.ts';

// `berth deploy --help` and `berth redeploy --help` print these; `…` stands for a flag that may be given more than once.
test('the flags of settings read as their help says', () => {
  const lines = Object.entries(SETTING_FLAGS).map(([flags, text]) => {
    const { description, isRepeatable } = typeof text === 'string' ? { description: text } : text;
    return `${flags}${isRepeatable ? ' …' : ''}  ${description}`;
  });
  expect(lines).toEqual([
    '--port <number>  Port the service listens on, given to it as PORT (8080)',
    '--memory <size>  Memory of an instance, 128Mi to 32Gi (1Gi)',
    '--cpu <number>  CPUs of an instance: 0.08 to 1, or 2, 4, 6, 8 (1)',
    '--timeout <seconds>  Request timeout, 1 to 3600 (600)',
    '--concurrency <number>  Concurrent requests per instance, 1 to 1000 (80)',
    '--max-instances <number>  Maximum instances, up to 1000; 0 = no fixed limit (0)',
    '--min-instances <number>  Instances kept running without requests, billed all the time; at most --max-instances (0)',
    '--session-affinity  Send a visitor to the same instance',
    '--no-session-affinity  Send a visitor to any instance',
    '--http2  Speak HTTP/2 without TLS (h2c) to the service',
    '--no-http2  Speak HTTP/1.1 to the service',
    '--health <path>  Path that answers 200 to 399 where an instance can serve, or JSON {path, interval, timeout} (none)',
    '--no-health  Remove the health check',
    '--volume </path=name[:ro][:sub/path]> …  Mount a volume, at a path such as /data or /mnt/files; may be given more than once',
    '--no-volume …  Detach all volumes that --volume does not name',
    '--volumes <json>  All volumes as JSON, mount path to name or {name, read_only, sub_path}; others are detached',
    '--schedule <cron>  Call POST /cron at these times, in five cron fields',
    '--no-schedule  Remove the schedule',
    '--timezone <zone>  Time zone of the schedule, such as Europe/Berlin (UTC)',
  ]);
});
