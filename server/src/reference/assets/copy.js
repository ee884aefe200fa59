// Gives every block of code a button that copies it. Without this script the page lacks only the buttons.
for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Press Ctrl+C'
      getSelection().selectAllChildren(block.querySelector('code'))
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1_500)
  })
  block.append(button)
}
