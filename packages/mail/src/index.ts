export { createMailCourier, type MailCourier } from './outbox/create-mail-courier.ts';
export {
  createMailOutbox,
  type MailOutbox,
  type MailRequest,
  type OutgoingMail,
} from './outbox/create-mail-outbox.ts';
export { createSmtpTransport, type MailTransport } from './smtp/create-smtp-transport.ts';
export { parseSmtpUrl } from './smtp/parse-smtp-url.ts';
export { composeMail } from './texts/compose-mail.ts';
export { isMailAddress } from './texts/mail-address.ts';
export { chooseMailLanguage, type MailLanguage } from './texts/mail-language.ts';
