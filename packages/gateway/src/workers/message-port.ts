/**
 * One end of a channel to another process: messages arrive once, whole and in their order, or not at all once it is closed.
 * They are structured clones (child_process with `serialization: 'advanced'`): plain objects, numbers that may be infinite, byte arrays.
 */
export interface MessagePort<In, Out> {
  /** Sends a message; does nothing once the port is closed. */
  post(message: Out): void;
  /** The one handler of what arrives. What arrives before it is set is kept for it. */
  onMessage(handler: (message: In) => void): void;
  /** The other end is gone, or {@link close} was called here. Called once; at once when it is so already. */
  onClose(handler: () => void): void;
  /** Idempotent. */
  close(): void;
}
