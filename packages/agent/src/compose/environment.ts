/** The environment of the process. The one place where the package reads it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
