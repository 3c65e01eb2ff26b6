/**
 * Why there is no response, or only part of one. `refused`: the rules forbid it; `unreachable`: no server, or none that
 * can be trusted; `late`: it timed out; `broken`: the response ended early or is invalid; `too_long`: it has too many
 * bytes.
 */
export type OutboundFault = 'refused' | 'unreachable' | 'late' | 'broken' | 'too_long';

/** A failed request. The message reveals nothing about the internal network. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
