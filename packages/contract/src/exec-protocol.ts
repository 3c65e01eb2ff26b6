// Facts of the protocol of commands. They are separate from the schemas, because pages import them without validation.

/** The first byte of a binary message from the server. */
export const EXEC_STREAMS = { stdout: 1, stderr: 2 } as const;

/** The subprotocol of the connection. */
export const EXEC_PROTOCOL = 'berth.exec.v1';

/** The subprotocol of a connection to a port of an instance. */
export const TCP_PROTOCOL = 'berth.tcp.v1';
