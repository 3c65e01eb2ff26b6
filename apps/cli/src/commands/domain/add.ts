import type { Domain } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatFacts } from '../../output/format-facts.ts';
import type { Style } from '../../output/style.ts';

/** `berth domain add`. */
export const domainAdd = defineCommand({
  name: 'add',
  summary: 'Add a custom domain to a deployment',
  description:
    'Claims a domain for a deployment and prints how to verify it. Adding it again with another deployment moves ' +
    'it there.',
  words: { '<name>': 'Name of the deployment', '<domain>': 'Host name, such as shop.example.com' },
  examples: [
    ['berth domain add my-app shop.example.com', 'prints the DNS record to set'],
    ['berth domain verify shop.example.com', 'then verifies it and serves my-app there'],
  ],
  async run({ words: [name = '', text = ''] }, { connect, output }) {
    const domain = await (await connect()).post('/v1/domain/add', { body: { deployment_name: name, domain: text } });
    output.json(domain);
    const told = cleanText(domain.domain);
    if (domain.status === 'active') return output.print(`${told} leads to ${name}.`);
    output.say(`${told} is added to ${name}. Verify it in one of two ways, then run`);
    output.say(`  berth domain verify ${told}`);
    output.print(verificationSteps(domain, output.style));
  },
});

/** Returns the two ways to verify a domain and the records to set. */
function verificationSteps({ domain, target, proof }: Domain, style: Style): string {
  return [
    '',
    style.bold('Set a TXT record'),
    formatFacts(
      [
        ['name', proof.txt.name],
        ['text', proof.txt.value],
      ],
      style,
    ),
    '',
    style.bold('Or point the domain at this server, which then answers the challenge'),
    formatFacts(
      [
        ['CNAME', `${domain} to ${target}`],
        ['asked', proof.http.url],
        ['answer', proof.http.body],
      ],
      style,
    ),
  ].join('\n');
}
