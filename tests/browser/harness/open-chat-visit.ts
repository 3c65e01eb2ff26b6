import type { Locator, Page } from 'playwright-core';
import { openVisit, type Setting, type Visit } from './open-visit.ts';

/** What is read and pressed on the chat page. */
export const CHAT_WORDS = {
  en: {
    ...{
      signIn: 'Sign in',
      token: /^Access token/,
      field: 'Message',
      answer: 'Response',
      you: 'You',
      send: 'Send',
      stop: 'Stop',
    },
    ...{ settings: 'Settings', signOut: 'Sign out', ended: 'Your session has expired' },
  },
  ar: {
    ...{
      signIn: 'تسجيل الدخول',
      token: /^رمز/,
      field: 'الرسالة',
      answer: 'الرد',
      you: 'أنت',
      send: 'إرسال',
      stop: 'إيقاف',
    },
    ...{ settings: 'الإعدادات', signOut: 'تسجيل الخروج', ended: 'انتهت صلاحية جلستك' },
  },
} as const;

/** A person at the chat page of an agent. */
export interface ChatVisit extends Visit {
  /** Of the test agents' sign-in: a token that names the person. */
  readonly person: string;
  readonly words: (typeof CHAT_WORDS)['en' | 'ar'];
  readonly field: Locator;
  readonly answers: Locator;
  /** Opens the page, and signs in by the token. */
  signIn(address?: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Once nothing is being answered. */
  idle(): Promise<void>;
}

export interface ChatVisitOptions extends Partial<Setting> {
  /** Someone whom no other test knows when absent. */
  readonly person?: string;
  readonly hasMicrophone?: boolean;
  readonly theme?: 'light' | 'dark';
}

let people = 0;

/** A window of a browser that no one has signed in with, at an agent that listens at `url`. */
export async function openChatVisit(url: string, options: ChatVisitOptions = {}): Promise<ChatVisit> {
  const { person = `person-${++people}`, ...setting } = options;
  const opened = await openVisit({ ...setting, url, isSignedIn: false });
  const words = CHAT_WORDS[setting.language ?? 'en'];
  return {
    ...opened,
    ...onChatPage(opened.page, words),
    person,
    words,
    signIn: signInWith(opened.page, words, person),
  };
}

/** What is on the page, also in another tab of the same person's. */
export function onChatPage(page: Page, words: (typeof CHAT_WORDS)['en' | 'ar']) {
  const field = page.getByRole('textbox', { name: words.field, exact: true });
  return {
    field,
    answers: page.getByRole('article', { name: words.answer }),
    async say(text: string) {
      await field.fill(text);
      await field.press('Enter');
    },
    idle: () => page.getByRole('button', { name: words.send, exact: true }).waitFor(),
  };
}

function signInWith(page: Page, words: (typeof CHAT_WORDS)['en' | 'ar'], person: string) {
  return async (address = '/') => {
    await page.goto(address);
    await page.getByRole('button', { name: words.signIn }).click();
    await page.getByLabel(words.token).fill(person);
    await page.getByRole('dialog').getByRole('button', { name: words.signIn }).click();
    await page.getByRole('textbox', { name: words.field, exact: true }).waitFor();
  };
}
