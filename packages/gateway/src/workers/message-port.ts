/**
 * One end of a channel to another process. Messages arrive once, whole and in order, or not at all after the channel is closed.
 * Messages are structured clones (child_process with `serialization: 'advanced'`): plain objects, finite or infinite numbers, byte arrays.
 */
export interface MessagePort<In, Out> {
  /** Sends a message. Does nothing after the port is closed. */
  post(message: Out): void;
  /** Sets the only handler of messages. Earlier messages are buffered and delivered to it first. */
  onMessage(handler: (message: In) => void): void;
  /** Sets a handler that is called once, when either end closes the channel; at once when it is closed already. */
  onClose(handler: () => void): void;
  /**
   * Sets a handler that is called once, when the other end can't be reached any more and may live on, before the channel is closed. Without
   * this, a lost connection closes the channel.
   */
  onLost?(handler: () => void): void;
  /** Closes the channel. Idempotent. */
  close(): void;
}
