export const tokens = {
  'tokens.what': '모델은 글자나 낱말이 아니라 토큰을 읽습니다. 토큰은 미리 학습한 목록, 곧 어휘에 든 조각입니다. 낱말을 통째로 쓰면 토큰은 적지만 목록이 길고, 목록에 없는 낱말은 잃어버립니다. 글자로 쓰면 배운 글자는 남지만 '
    + '길어지고, 글자 하나에는 뜻이 거의 없습니다.',
  'tokens.kinds': '그래서 대부분의 모델은 낱말을 조각냅니다. 잦은 낱말은 그대로, 드문 낱말은 나뉩니다. BPE (GPT, LLaMA)는 가장 잦은 짝을 거듭 합칩니다. 바이트 BPE는 바이트에서 시작하므로 모르는 글이 '
    + '없습니다. WordPiece (BERT)는 가장 많은 것을 말해 주는 짝을 합치고, 낱말 안에서 이어지는 조각에 ##을 붙입니다. Unigram (T5)은 많은 조각에서 시작해 없어도 되는 것부터 버립니다.',
  'tokens.figure': '여섯 토크나이저와 여러분의 문장',
  'tokens.figure.lead': '아래 글을 바꾸면 바로 다시 학습하고, 여러분의 문장을 자릅니다.',
  'tokens.text': '학습할 글',
  'tokens.size': '어휘 크기 한도',
  'tokens.pieces': '조각',
  'tokens.count': '개수',
  'tokens.vocabulary': '어휘',
  'tokens.failed': '토크나이저를 학습하지 못했습니다',
  'tokens.more': '이 페이지 모델의 토크나이저와 BPE의 병합 과정 보기',
  'tokens.exercise.question': 'BPE가 낱말 넷을 배웁니다: lowest, lower, newer, wider. 가장 먼저 합치는 짝은 무엇일까요?',
  'tokens.exercise.option.0': 'l + o',
  'tokens.exercise.option.1': 'e + r',
  'tokens.exercise.option.2': 's + t',
  'tokens.exercise.right': '“er”은 낱말 셋에, “lo”는 둘에, “st”는 하나에 들어 있습니다.',
  'tokens.exercise.wrong': '짝마다 몇 낱말에 들어 있는지 세어 보세요.',
};
