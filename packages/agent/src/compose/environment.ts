/** Returns the environment of the process. The only place where the agent's packages read it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
