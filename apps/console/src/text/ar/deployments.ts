import type { Translation } from '@berth/ui';
import type { deployments as source } from '../en/deployments.ts';

export const deployments: Translation<typeof source> = {
  'deployments.title': 'عمليات النشر',
  'deployments.name': 'الاسم',
  'deployments.status': 'الحالة',
  'deployments.address': 'العنوان',
  'deployments.updated': 'آخر تغيير',
  'deployments.empty.title': 'لم يُنشر شيء بعد',
  'deployments.empty.text': 'عملية النشر مجلد يبنيه Berth ويقدمه على عنوان خاص به.',
  'deployments.status.building': 'قيد البناء',
  'deployments.status.deploying': 'قيد النشر',
  'deployments.status.ready': 'جاهز',
  'deployments.status.failed': 'فشل',
  'deployments.status.deleting': 'قيد الحذف',
};
