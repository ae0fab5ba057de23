export const depth = {
  'depth.what': '블록의 부분은 입력을 바꿔치기하지 않고 입력에 더합니다: y = x + F(x). 거꾸로 갈 때 기울기는 덧셈을 그대로 지나고, F의 기울기도 더해집니다. 아무리 깊어도 아무것도 잃지 않는 길이 하나 있습니다.',
  'depth.places': '정규화는 2017년 논문처럼 덧셈 뒤에 둘 수도 있고 (post-norm), GPT-2 이후 거의 모든 모델처럼 부분 앞에 둘 수도 있습니다 (pre-norm). post-norm은 층마다 열린 길을 끊고, '
    + 'pre-norm은 끝까지 열어 둡니다.',
  'depth.gradient': '층마다 도달하는 기울기',
  'depth.gradient.lead': '어텐션, 피드포워드, 정규화를 조립한 너비 8의 작은 블록이고 가중치는 무작위입니다. 여러분의 토큰 임베딩의 앞 성분을 넣습니다. 마지막 수 하나의 기울기를 층마다 입력에 대해 구합니다. 성분을 '
    + '하나씩 조금 올리고 내려서 잽니다.',
  'depth.layers': '층 수',
  'depth.layer': '층',
  'depth.length': '기울기의 길이',
  'depth.post': 'post-norm',
  'depth.pre': 'pre-norm',
  'depth.bare': '정규화만, 잔차 없음',
  'depth.unnormed': '잔차도 정규화도 없음',
  'depth.see': '오른쪽 끝이 기울기가 출발하는 곳, 왼쪽 끝이 도착한 기울기로 배워야 하는 첫 층입니다. 잔차가 없으면 거의 도착하지 않고, 층이 늘수록 더 줄어듭니다. post-norm 모델의 학습에 느린 준비 단계가 필요하고, '
    + '깊은 모델이 pre-norm인 까닭입니다.',
  'depth.exercise.question': 'y = x + F(x)인 층이 열 개 있고, F의 기울기는 모두 0.1입니다. 전체의 기울기는 얼마일까요?',
  'depth.exercise.right': '층마다 1 + 0.1이고, 열 번 곱하면 1.1¹⁰입니다. 잔차가 없으면 0.1¹⁰ = 0.0000000001입니다.',
  'depth.exercise.wrong': '층의 기울기는 서로 곱해집니다. 한 층의 기울기는 1 + 0.1입니다.',
};
