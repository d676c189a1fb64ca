// The dialog with the luck of the game; a line of it leads to its position.
function offerLuck(goTo) {
  const dialog = document.getElementById("luck");
  const button = document.getElementById("show-luck");
  button.hidden = !dialog;
  if (!dialog) return;
  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", ({ target }) => {
    const line = target.closest("[data-at]");
    if (line || target === dialog) dialog.close();
    if (line) goTo(Number(line.dataset.at));
  });
}
