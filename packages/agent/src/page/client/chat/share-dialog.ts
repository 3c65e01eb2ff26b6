import type { Api } from '../api.ts';
import { element } from '../element.ts';

/** Shares a chat as it is now and shows the link; it can be taken back there and then. */
export function openShareDialog(api: Api, chatId: string): void {
  const note = element(
    'p',
    { role: 'status' },
    'Everybody with the link sees the chat as it is now, and the files it names.',
  );
  const body = element('div', { class: 'row' });
  const dialog: HTMLDialogElement = element(
    'dialog',
    { 'aria-label': 'Share this chat', onClose: () => dialog.remove() },
    element('h2', {}, 'Share this chat'),
    note,
    body,
    element('form', { method: 'dialog' }, element('button', { class: 'quiet' }, 'Close')),
  );
  const fail = (error: unknown) => {
    note.textContent = error instanceof Error ? error.message : 'That did not work.';
  };
  const share = element(
    'button',
    {
      type: 'button',
      async onClick() {
        share.disabled = true;
        try {
          const { token, url } = await api.sendJson<{ token: string; url: string }>('POST', '/share', {
            path: `chat/${chatId}`,
          });
          const field = element('input', { readonly: true, value: url, 'aria-label': 'Link', dir: 'ltr' });
          const revoke = element(
            'button',
            {
              type: 'button',
              class: 'quiet',
              async onClick() {
                try {
                  await api.json(`/share/${encodeURIComponent(token)}`, { method: 'DELETE' });
                  note.textContent = 'Taken back: the link leads nowhere now.';
                  body.replaceChildren();
                } catch (error) {
                  fail(error);
                }
              },
            },
            'Take it back',
          );
          note.textContent = 'Copy the link: it is shown this once.';
          body.replaceChildren(field, revoke);
          field.select();
        } catch (error) {
          fail(error);
          share.disabled = false;
        }
      },
    },
    'Make a link',
  );
  body.append(share);
  document.body.append(dialog);
  dialog.showModal();
}
