/**
 * The state of an instance: `starting` until its port answers, `failed` when the start fails, `ready` while it takes requests,
 * `unready` while a ready instance refuses connections or is unhealthy, `suspended` while it is frozen, `resuming` while it thaws,
 * `draining` while it finishes its requests before it is stopped, `gone` after its end.
 */
export type InstanceState =
  | 'starting'
  | 'failed'
  | 'ready'
  | 'unready'
  | 'suspended'
  | 'resuming'
  | 'draining'
  | 'gone';
