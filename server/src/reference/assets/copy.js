// Gives every block of code a button that copies it. Without this script the page lacks only the buttons.
for (const block of document.querySelectorAll('.code')) {
  const code = block.querySelector('code')
  const button = document.createElement('button')
  button.type = 'button'
  const say = (text) => {
    button.textContent = text
    setTimeout(() => (button.textContent = 'Copy'), 1_500)
  }
  button.textContent = 'Copy'
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.textContent).then(
      () => say('Copied'),
      () => {
        getSelection().selectAllChildren(code)
        say('Press Ctrl+C')
      },
    )
  })
  block.append(button)
}
