import type { attention as en } from '../en/attention';

export const attention: Record<keyof typeof en, string> = {
  'attention.lead': '모델은 단어를 하나 쓸 때마다 다른 단어들을 살펴보며, 헤드마다 보는 방식이 다릅니다. 어디를 보는지 살펴보고, 하나를 골라 계산을 따라가 보세요.',
  'attention.kind': '보는 쪽',
  'attention.kind.encoder': '원문이 원문을',
  'attention.kind.cross': '번역문이 원문을',
  'attention.kind.decoder': '번역문이 번역문을',
  'attention.text': '문장',
  'attention.heads': '모든 층과 헤드',
  'attention.heads.help': '한 행이 한 층입니다. 헤드를 고르세요. 화살표 키로도 옮겨 다닐 수 있습니다.',
  'attention.matrix.help': '행이 열을 봅니다. 색이 진할수록 많이 봅니다. 칸을 고르면 계산 과정을 보여 줍니다. 화살표 키로도 옮겨 다닐 수 있습니다.',
};
