import type { Repository } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth repo show`. */
export const repoShow = defineCommand({
  name: 'show',
  summary: 'Show the repository of a deployment, its last commits and its previews',
  words: { '<name>': 'Name of the deployment' },
  examples: [['berth repo show my-app', 'what pushes and pull requests caused']],
  async run({ words: [name = ''] }, { connect, output }) {
    const query = { deployment_name: name };
    const repository = await (await connect()).get('/v1/repositories', { params: { query } });
    output.json(repository);
    output.print(cleanText(describe(repository as Repository)));
    if (repository.deploy_key !== null) output.print(cleanText(`Deploy key: ${repository.deploy_key}`));
    if (repository.preview_variables.length > 0) {
      output.print(cleanText(`Variables of previews: ${repository.preview_variables.join(', ')}`));
    }
    if (repository.runs.length === 0) return output.say('No push has arrived yet.');
    output.table(repository.runs, [
      { heading: 'TIME', text: (row) => row.time },
      { heading: 'COMMIT', text: (row) => row.commit.slice(0, 10) },
      { heading: 'PULL REQUEST', text: (row) => (row.pull_request === null ? '' : `#${row.pull_request}`) },
      { heading: 'STATUS', text: (row) => row.status },
      { heading: 'DEPLOY', text: (row) => row.deploy_id ?? '' },
      { heading: 'TITLE', text: (row) => row.title },
      { heading: 'PROBLEM', text: (row) => row.error ?? row.report_error ?? '' },
    ]);
    if (repository.previews.length === 0) return;
    output.table(repository.previews, [
      { heading: 'PREVIEW', text: (row) => `#${row.pull_request}` },
      { heading: 'URL', text: (row) => row.url },
      { heading: 'EXPIRES', text: (row) => row.expires_at },
    ]);
  },
});

function describe({ url, branch, folder, forge, has_token, previews_enabled }: Repository): string {
  const place = folder === null ? '' : `, folder ${folder}`;
  const token = has_token ? 'with a token' : 'without a token';
  return `${url} (${forge}, ${token}), branch ${branch}${place}, previews ${previews_enabled ? 'on' : 'off'}`;
}
