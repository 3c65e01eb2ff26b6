import type { Attachment } from '@berth/contract/agent';
import { element } from '../element.ts';

/** Where a person writes. */
export interface Composer {
  readonly node: HTMLElement;
  /** While a turn runs: nothing is sent, and it can be stopped. */
  setRunning(isRunning: boolean): void;
  focus(): void;
}

export interface ComposerOptions {
  send(text: string, attachments: readonly Attachment[]): void;
  stop(): void;
  /** Undefined where files can't be kept. @throws with a reason for the person */
  upload: ((file: File) => Promise<Attachment>) | undefined;
}

/** A field that grows, sends on Enter, and takes files by a button, by pasting and by dropping. */
export function createComposer({ send, stop, upload }: ComposerOptions): Composer {
  let isRunning = false;
  let uploads: readonly { readonly node: HTMLElement; readonly attachment: Promise<Attachment | undefined> }[] = [];
  const field = element('textarea', {
    id: 'message',
    rows: 1,
    placeholder: 'Write a message',
    'aria-label': 'Message',
    'aria-describedby': 'keys',
    dir: 'auto',
    onKeydown(event: KeyboardEvent) {
      // While an input method is composing, Enter is its own.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void submit();
    },
    onInput: () => resize(),
    onPaste(event: ClipboardEvent) {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0 && upload) {
        event.preventDefault();
        attach(files);
      }
    },
  });
  const list = element('ul', { class: 'attachments', 'aria-label': 'Attached files' });
  const picker = element('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    'aria-label': 'Files to attach',
    onChange() {
      attach([...(picker.files ?? [])]);
      picker.value = '';
    },
  });
  const attachButton = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': 'Attach files',
      hidden: upload === undefined,
      onClick: () => picker.click(),
    },
    '+',
  );
  const button = element('button', { type: 'submit', class: 'send' }, 'Send');
  const node = element(
    'form',
    {
      class: 'composer',
      onSubmit(event: Event) {
        event.preventDefault();
        if (isRunning) stop();
        else void submit();
      },
      onDragover: (event: DragEvent) => event.preventDefault(),
      onDrop(event: DragEvent) {
        event.preventDefault();
        attach([...(event.dataTransfer?.files ?? [])]);
      },
    },
    list,
    element('div', { class: 'row' }, attachButton, picker, field, button),
    element('p', { id: 'keys', class: 'hint' }, 'Enter sends, Shift+Enter begins a line, Escape stops an answer.'),
  );

  const resize = () => {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, innerHeight / 3)}px`;
  };

  const attach = (files: readonly File[]) => {
    if (!upload) return;
    for (const file of files) {
      const state = element('span', { role: 'status' }, ' (uploading)');
      const row = element(
        'li',
        {},
        element('span', { dir: 'auto' }, file.name),
        state,
        removeButton(file.name, () => drop(row)),
      );
      const attachment = upload(file).then(
        (attached) => {
          state.textContent = '';
          return attached;
        },
        (error: unknown) => {
          state.textContent = ` (not uploaded: ${error instanceof Error ? error.message : 'failed'})`;
          return undefined;
        },
      );
      uploads = [...uploads, { node: row, attachment }];
      list.append(row);
    }
  };
  const drop = (row: HTMLElement) => {
    row.remove();
    uploads = uploads.filter((one) => one.node !== row);
  };

  const submit = async () => {
    const text = field.value.trim();
    if (isRunning || (text === '' && uploads.length === 0)) return;
    const pending = uploads;
    const attachments = (await Promise.all(pending.map((one) => one.attachment))).filter((one) => one !== undefined);
    // Sent meanwhile, or the person wrote on.
    if (isRunning || field.value.trim() !== text || uploads !== pending) return;
    if (text === '' && attachments.length === 0) return;
    field.value = '';
    uploads = [];
    list.replaceChildren();
    resize();
    send(text, attachments);
  };

  return {
    node,
    setRunning(running) {
      isRunning = running;
      button.textContent = running ? 'Stop' : 'Send';
      button.classList.toggle('stop', running);
    },
    focus: () => field.focus(),
  };
}

function removeButton(name: string, remove: () => void): HTMLElement {
  return element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove ${name}`, onClick: remove }, '×');
}
