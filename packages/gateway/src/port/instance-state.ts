/**
 * `starting` until its port answers, `failed` when it won't; `ready` takes requests; `unready` was ready and refuses
 * connections; `suspended` is frozen and `resuming` thaws; `draining` takes nothing new and is stopped when it is empty;
 * `gone` has ended.
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
