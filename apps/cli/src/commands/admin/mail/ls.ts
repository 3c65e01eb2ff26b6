import { defineCommand } from '../../../command/command.ts';

/** `berth admin mail ls`. */
export const adminMailLs = defineCommand({
  name: 'ls',
  summary: 'List the newest mails and their state',
  description:
    'Lists up to 100 mails of the last month without their text. queued: waiting for the next attempt; sent: accepted by the mail server; dead: given up after twelve attempts, or refused for good. Exits with code 1 if any is dead.',
  examples: [['berth admin mail ls', "recipients, states and the mail server's answers"]],
  async run(_input, { connect, output }) {
    const report = await (await connect()).get('/v1/admin/mail');
    output.json(report);
    const { is_configured: isConfigured, counts, mails } = report;
    if (mails.length > 0) {
      output.table(mails, [
        { heading: 'CREATED', text: (row) => row.created_at },
        { heading: 'KIND', text: (row) => row.kind },
        { heading: 'TO', text: (row) => row.to },
        { heading: 'STATE', text: (row) => row.state },
        { heading: 'ATTEMPTS', text: (row) => String(row.attempts) },
        { heading: 'LAST ERROR', text: (row) => row.last_error ?? '' },
      ]);
    }
    output.say(
      isConfigured
        ? `${counts.queued} queued, ${counts.sent} sent, ${counts.dead} dead.`
        : 'This server sends no mail. Set BERTH_SMTP_URL and BERTH_SMTP_FROM, and restart it.',
    );
    return counts.dead > 0 ? 1 : 0;
  },
});
