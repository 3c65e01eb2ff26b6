/** Whether the machine gives a protection or a tool. */
export type CheckStatus = 'enforced' | 'partial' | 'missing';

/** One thing the server's machine can isolate, limit or build. */
export interface DoctorCheck {
  readonly id: string;
  readonly title: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** How to get what is missing. */
  readonly remedy?: string;
}

/** `GET /v1/doctor`. */
export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
}
