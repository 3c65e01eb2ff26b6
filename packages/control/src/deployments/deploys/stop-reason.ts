/** Why a running deploy is stopped from outside. */
export class DeployStopped extends Error {
  /** `cancelled`: it ends so. `closing`: the process ends, and the next one goes on with it. */
  readonly kind: 'cancelled' | 'closing';

  constructor(kind: 'cancelled' | 'closing', message: string) {
    super(message);
    this.name = 'DeployStopped';
    this.kind = kind;
  }
}
