/**
 * Why there is no answer, or not all of it. `refused`: the rules forbid it; `unreachable`: nobody there, or nobody who can
 * be trusted; `late`: it took too long; `broken`: the answer ended early or is garbled; `too_long`: it has too many bytes.
 */
export type OutboundFault = 'refused' | 'unreachable' | 'late' | 'broken' | 'too_long';

/** A request that failed; the sentence says nothing of the network inside. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
