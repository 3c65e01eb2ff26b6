import { fromSection } from './requirement.ts';

/** Section 4: what a service is given. */
export const SERVICE = fromSection('control-plane §4', {
  'service.variables': 'PORT, K_SERVICE, K_REVISION, K_CONFIGURATION, BERTH_URL and BERTH_VOLUMES are set.',
  'service.cron-token': 'CRON_TOKEN is set when the service is scheduled, and only then.',
  'service.prefixes': 'Under the prefixes of BERTH_ENV_PREFIXES the same values are set again.',
  'service.listens': 'It listens on 0.0.0.0:$PORT.',
  'service.stop': 'It gets SIGTERM, then SIGKILL 10 s later.',
  'service.output': 'stdout and stderr are its log.',
  'service.clean-environment': 'Nothing of the platform’s own environment reaches it.',
  'busy.kept':
    'An instance that says {"busy": true} at /.well-known/berth/busy is neither suspended nor stopped, and asked every 5 s.',
  'busy.answers': '`until` is obeyed; any other answer is no work, asked once a request; silence is borne for 60 s.',
  'busy.limit': 'It is kept for 60 minutes after its last request at most; deletion and shutdown do not wait.',
  'busy.billed': 'While it is kept it is billable, counted in `busy`, and in the log.',
  'busy.replaced': 'A replaced instance is told so with `Berth-Replaced: 1`, which no client can send to it.',
  'busy.request': 'The question has the deployment’s Host and the user agent Berth-Busy-Check/1.0.',
  'cron.request': 'At each due time the platform sends POST /cron with X-Cron-Token and an empty body.',
  'cron.retry': 'A run that fails is tried again with backoff, 5 times by default, with X-Cron-Attempt.',
  'cron.scheduled-time': 'X-Cron-Scheduled-Time tells when it was due.',
  'cron.overlap': 'Runs may overlap; one takes 30 minutes at most.',
  'cron.daylight-saving': 'A minute that is skipped fires once at the jump; one that is repeated fires once.',
  'cron.downtime': 'After downtime the newest missed fire is run, once.',
  'cron.logged': 'Each fire is an ordinary request in the logs.',
});
