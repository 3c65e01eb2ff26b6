import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth members leave`. */
export const membersLeave = defineCommand({
  name: 'leave',
  summary: 'Leave the account; the keys that you created are revoked',
  examples: [['berth members leave', "the last owner can't leave"]],
  async run(_input, { connect, output }) {
    const answer = await (await connect()).post('/v1/user/leave');
    output.json(answer);
    output.print(cleanText(answer.detail));
  },
});
