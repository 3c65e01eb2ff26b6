import type { Translation } from '@berth/web';
import type { audit as source } from '../en/audit.ts';

export const audit: Translation<typeof source> = {
  'audit.title': 'سجل التدقيق',
  'audit.time': 'الوقت',
  'audit.action': 'الإجراء',
  'audit.target': 'الهدف',
  'audit.actor': 'بواسطة',
  'audit.actor.key': 'المفتاح {id}',
  'audit.actor.session': 'الشخص {id}',
  'audit.actor.system': 'Berth',
  'audit.empty.title': 'لم يتغير شيء بعد',
  'audit.empty.text': 'كل تغيير في الحساب يُدوَّن هنا مع من قام به. لا يمكن تغيير شيء هنا أو حذفه.',
};
