/** Hosts on the person's own machine. Source: RFC 8252 sections 7.3 and 8.3; browsers resolve `localhost` locally. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
