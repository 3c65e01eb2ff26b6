import type { LetterTexts } from './letter.ts';

const ROLES = { owner: 'an owner', admin: 'an admin', member: 'a member' } as const;

/** The letters in English. */
export const EN: LetterTexts = {
  test: () => ({
    subject: 'Test message from Berth',
    paragraphs: ['This server can send e-mail.'],
  }),
  invite: ({ account, inviter, role, link }) => ({
    subject: `Invitation to join ${account} on Berth`,
    paragraphs: [
      inviter === null
        ? `You’re invited to join ${account} as ${ROLES[role]}.`
        : `${inviter} invited you to join ${account} as ${ROLES[role]}.`,
    ],
    action: { label: 'Accept the invitation', link },
    closing: 'The link works once, within seven days. If you didn’t expect this invitation, ignore this message.',
  }),
  password_reset: ({ name, link }) => ({
    subject: 'Reset your Berth password',
    paragraphs: [
      `Hello ${name},`,
      'Someone asked to reset the password of your Berth user. Use this link to set a new one.',
    ],
    action: { label: 'Set a new password', link },
    closing:
      'The link works once, within an hour, and signs you out everywhere. If you didn’t ask for it, ignore this message: your password stays as it is.',
  }),
  email_change: ({ name, link }) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [`Hello ${name},`, 'Use this link to sign in to Berth with this address from now on.'],
    action: { label: 'Confirm this address', link },
    closing: 'The link works once, within an hour. If you didn’t ask for this change, ignore this message.',
  }),
  email_changed: ({ name, newAddress }) => ({
    subject: 'The e-mail address of your Berth user changed',
    paragraphs: [
      `Hello ${name},`,
      `You now sign in to Berth as ${newAddress}. This address can no longer be used.`,
      'If you didn’t make this change, contact an owner of your account at once.',
    ],
  }),
  new_sign_in: ({ name, device, address, atMs, link }) => ({
    subject: 'New sign-in to your Berth user',
    paragraphs: [
      `Hello ${name},`,
      'Someone signed in from a device or network that you haven’t used before.',
      `Device: ${device ?? 'unknown'}`,
      `IP address: ${address ?? 'unknown'}`,
      `Time: ${utc(atMs)}`,
    ],
    action: { label: 'Review your sessions', link },
    closing: 'If this was you, there is nothing to do. Otherwise sign out that session and change your password.',
  }),
  alert: ({ title, state, message, link }) => ({
    subject: `${{ firing: 'Alert', resolved: 'Resolved', test: 'Test alert' }[state]}: ${title}`,
    paragraphs: [message],
    action: { label: 'Open the console', link },
  }),
};

function utc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
