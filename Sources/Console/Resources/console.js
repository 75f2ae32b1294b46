// Adds to pages that work without it: keys, news of what is under way, the reader's own time.
"use strict";

const isTyping = (element) => element.closest("input, select, textarea, [contenteditable]") !== null;
const rowLinks = () => Array.from(document.querySelectorAll("table[data-walk] tbody .row-link"));

// j and k go through the rows of a list; Enter opens one, as for any link.
function walk(step) {
    const links = rowLinks();
    if (links.length === 0) { return; }
    const here = links.indexOf(document.activeElement);
    const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + step));
    links[next].focus();
}

function help() {
    let dialog = document.querySelector("dialog.help");
    if (dialog === null) {
        const keys = document.querySelector(".keys");
        if (keys === null) { return; }
        dialog = document.createElement("dialog");
        dialog.className = "help";
        const text = document.createElement("p");
        for (const node of keys.childNodes) { text.append(node.cloneNode(true)); }
        const form = document.createElement("form");
        form.method = "dialog";
        const close = document.createElement("button");
        close.className = "button";
        close.textContent = "OK";
        form.append(close);
        dialog.append(text, document.createElement("br"), form);
        dialog.setAttribute("aria-label", text.textContent);
        document.body.append(dialog);
    }
    if (!dialog.open) { dialog.showModal(); }
}

document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) { return; }
    const actions = {
        "/": () => document.getElementById("find")?.focus(), "j": () => walk(1), "k": () => walk(-1), "?": help,
    };
    const action = actions[event.key];
    if (action === undefined) { return; }
    event.preventDefault();
    action();
});

// A moment in the reader's own zone stands behind the one that is shown.
function tellOwnTimes(root) {
    const own = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "long" });
    for (const time of root.querySelectorAll("time[datetime]")) { time.title = own.format(new Date(time.dateTime)); }
}

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") { return; }
    if (form.dataset.isSent === "1") { event.preventDefault(); return; }
    form.dataset.isSent = "1";
});
window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form")) { delete form.dataset.isSent; }
});

// A file on its way tells how far it is; what came of it takes the place of the page, which is not loaded again.
document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!("upload" in form.dataset)) { return; }
    if (event.defaultPrevented) { return; }
    event.preventDefault();
    const bar = form.querySelector("progress");
    const failed = form.querySelector("[data-failed]");
    const sending = new XMLHttpRequest();
    const end = () => {
        failed.textContent = failed.dataset.failed;
        bar.value = 0;
        delete form.dataset.isSent;
    };
    failed.textContent = "";
    const file = form.querySelector("input[type=file]").files[0];
    if (file !== undefined && file.size > Number(failed.dataset.most)) {
        failed.textContent = failed.dataset.large;
        delete form.dataset.isSent;
        return;
    }
    form.dataset.underWay = "1";
    sending.upload.addEventListener("progress", (progress) => {
        if (progress.lengthComputable) { bar.value = 100 * progress.loaded / progress.total; }
    });
    // It is there, and is being matched.
    sending.upload.addEventListener("load", () => { bar.removeAttribute("value"); });
    sending.addEventListener("error", end);
    sending.addEventListener("load", () => {
        const page = new DOMParser().parseFromString(sending.responseText, "text/html");
        const news = page.getElementById("main");
        if (news === null) { end(); return; }
        const main = document.getElementById("main");
        main.replaceChildren(...Array.from(news.childNodes, (node) => document.importNode(node, true)));
        document.title = page.title;
        history.pushState(null, "", sending.status < 400 ? sending.responseURL : location.href);
        tellOwnTimes(main);
        main.focus();
    });
    sending.open("POST", form.action);
    sending.send(new FormData(form));
});
window.addEventListener("popstate", () => { location.reload(); });

// What is under way is asked for again; nothing is replaced under a reader's hands.
function replace(live, news) {
    if (news === null || news.innerHTML === live.innerHTML || live.contains(document.activeElement)) { return; }
    const open = Array.from(live.querySelectorAll("details"), (item) => item.open);
    live.replaceChildren(...Array.from(news.childNodes, (node) => document.importNode(node, true)));
    // News stands on top: what was open is found from the end.
    live.querySelectorAll("details").forEach((item, index, all) => {
        item.open = open[index - (all.length - open.length)] ?? false;
    });
    tellOwnTimes(live);
}

async function refresh() {
    const seconds = Number(document.body.dataset.refresh);
    if (!(seconds > 0)) { return; }
    await new Promise((done) => { setTimeout(done, seconds * 1000); });
    if (!document.hidden) {
        try {
            const answer = await fetch(location.href, { headers: { "Paystream-Refresh": "1" }, redirect: "error" });
            if (answer.status === 401) { location.reload(); return; }
            if (answer.ok) {
                const page = new DOMParser().parseFromString(await answer.text(), "text/html");
                for (const live of document.querySelectorAll("[data-live]")) {
                    replace(live, page.getElementById(live.id));
                }
                document.body.dataset.refresh = page.body.dataset.refresh ?? "";
            }
        } catch {
            // The daemon is away: the page stays as it is and asks again.
        }
    }
    refresh();
}

// On a phone the sections stand in one line: the one that is open is in sight.
document.querySelector(".sections [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
tellOwnTimes(document);
refresh();
