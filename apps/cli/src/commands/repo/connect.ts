import { defineCommand } from '../../command/command.ts';
import { isLoopback } from '../../config/resolve-target.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

/** Seconds of the units of `--preview-ttl`. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600, d: 86_400 };

/** `berth repo connect`. */
export const repoConnect = defineCommand({
  name: 'connect',
  summary: 'Deploy each push to a branch of a repository',
  description:
    'The repository is on GitHub, GitLab, Gitea or Forgejo. With an access token, Berth creates the webhook, fetches private ' +
    'code, and reports the result of each commit. Without one, the command prints what to enter as a webhook. The token is ' +
    'read from BERTH_FORGE_TOKEN or from standard input, and is stored encrypted.',
  words: { '<name>': 'Name of the deployment; a free name is reserved', '<url>': 'https URL of the repository' },
  options: {
    '--branch <branch>': 'Branch whose pushes deploy; main by default',
    '--folder <path>': 'Folder of the project; only pushes that change files below it deploy',
    '--forge <kind>': 'github, gitlab, gitea or forgejo; known for github.com, gitlab.com and codeberg.org',
    '--token-stdin': 'Read an access token from standard input',
    '--deploy-key': 'Fetch the code by SSH with a key that reads this repository only',
    '--ssh-url <url>': 'Where the code is fetched by SSH, such as ssh://git@git.example.com:2222/me/app.git',
    '--previews': 'Deploy each pull request under an address of its own',
    '--preview-ttl <time>': 'Delete a preview without pushes after this time, such as 12h; 7d by default',
  },
  examples: [
    ['berth repo connect my-app https://github.com/me/app', 'prints the webhook to create'],
    ['gh auth token | berth repo connect my-app https://github.com/me/app --token-stdin', 'creates it'],
    ['berth repo connect my-app https://github.com/me/app --deploy-key', 'private code without a token'],
    ['berth repo connect api https://git.example.com/me/mono --forge gitea --folder services/api', 'a monorepo'],
    ['berth repo connect my-app https://gitlab.com/me/app --token-stdin --previews < token', 'with previews'],
  ],
  async run({ words: [name = '', url = ''], options }, { connect, output, environment, readInput }) {
    const token = options.tokenStdin ? (await readInput()).trim() : environment['BERTH_FORGE_TOKEN'];
    if (options.tokenStdin && token === '') throw new UsageError('Standard input is empty. Pipe the token in.');
    const body = {
      ...{ deployment_name: name, url, branch: options.branch ?? 'main', previews: options.previews ?? false },
      ...(options.folder === undefined ? {} : { folder: options.folder }),
      ...(options.forge === undefined ? {} : { forge: options.forge as 'github' }),
      ...(token ? { token } : {}),
      ...(options.deployKey ? { deploy_key: true } : {}),
      ...(options.sshUrl === undefined ? {} : { ssh_url: options.sshUrl }),
      ...(options.previewTtl === undefined ? {} : { preview_ttl_seconds: readTime(options.previewTtl) }),
    };
    const repository = await (await connect()).post('/v1/repositories', { body });
    output.json(repository);
    const { branch, hook_url: hookUrl, hook_secret: secret } = repository;
    output.print(cleanText(`Connected. A push to ${branch} of ${repository.url} deploys ${name}.`));
    if (isLoopback(hookUrl) && !isLoopback(repository.url)) {
      const { host } = new URL(repository.url);
      output.warn(`${host} can't reach ${hookUrl}, so pushes won't deploy until the server has a public BERTH_DOMAIN.`);
    }
    if (repository.must_add_deploy_key && repository.deploy_key !== null) {
      output.say("Add this key to the deploy keys in the repository's settings, without write access:");
      output.print(cleanText(repository.deploy_key));
    }
    if (secret === null) return;
    const event = repository.previews_enabled ? 'pushes and pull requests' : 'pushes';
    output.say(cleanText(`Create a webhook in the repository's settings, for ${event}, with these values:`));
    output.print(cleanText(`Payload URL: ${hookUrl}`));
    output.print('Content type: application/json');
    output.print(cleanText(`Secret: ${secret}`));
    output.say('The secret is shown only once.');
  },
});

function readTime(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const seconds = UNITS[unit];
  if (seconds === undefined) throw new UsageError('--preview-ttl must be hours or days, such as 12h or 7d');
  return Number(digits) * seconds;
}
