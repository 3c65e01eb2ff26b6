/** Commands as other tools call them, and what they are called here. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  // `berth volume rm` is about objects.
  delete: ['destroy', 'remove', 'del'],
  rm: ['delete', 'destroy', 'remove', 'del', 'unset', 'down'],
  ls: ['list', 'apps', 'services'],
  deploy: ['up', 'push', 'launch', 'publish', 'release'],
  exec: ['ssh', 'shell', 'console', 'attach'],
  env: ['secrets', 'secret', 'config', 'vars', 'variables'],
  set: ['add', 'put', 'import'],
  get: ['show', 'info', 'describe', 'inspect'],
  logs: ['tail', 'log'],
  deploys: ['releases', 'history', 'deployments'],
  domain: ['certs', 'domains', 'alias'],
  cron: ['schedule', 'schedules'],
  cost: ['usage', 'billing'],
  login: ['signin', 'auth'],
  start: ['serve', 'server'],
  invite: ['add'],
};

/** Returns the name among `names` of the command that `word` is called here. */
export function findSynonym(word: string, names: readonly string[]): string | undefined {
  return Object.keys(SYNONYMS).find((name) => SYNONYMS[name]?.includes(word) && names.includes(name));
}
