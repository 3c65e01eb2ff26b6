import type { Role } from '@berth/contract';

/** The content of an e-mail, before it is worded in a language. */
export type Letter =
  | { readonly kind: 'test' }
  | {
      readonly kind: 'invite';
      readonly account: string;
      /** Null when an API key created the invitation. */
      readonly inviter: string | null;
      readonly role: Role;
      readonly link: string;
    }
  | { readonly kind: 'password_reset'; readonly name: string; readonly link: string }
  | { readonly kind: 'email_change'; readonly name: string; readonly link: string }
  | { readonly kind: 'email_changed'; readonly name: string; readonly newAddress: string }
  | {
      readonly kind: 'new_sign_in';
      readonly name: string;
      /** A browser and a system, such as `Firefox on Linux`; undefined when unknown. */
      readonly device: string | undefined;
      readonly address: string | undefined;
      /** Epoch milliseconds, wall clock. */
      readonly atMs: number;
      readonly link: string;
    }
  | {
      readonly kind: 'alert';
      readonly title: string;
      readonly state: 'firing' | 'resolved' | 'test';
      /** A sentence in English with the figures. */
      readonly message: string;
      readonly link: string;
    };

/** A letter in words. */
export interface LetterWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A link, with the text of its button. */
  readonly action?: { readonly label: string; readonly link: string };
  /** Shown below the link. */
  readonly closing?: string;
}

/** The words of every kind of letter in one language. */
export type LetterTexts = {
  readonly [Kind in Letter['kind']]: (letter: Extract<Letter, { kind: Kind }>) => LetterWords;
};
