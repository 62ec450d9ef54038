"""The report in a browser: what a reader does with it, and that nothing goes wrong."""

import browser
import pytest
import report_pages
from report_pages import clouds

from pywbms import wbms

CHARTS = ("clusters", "weights", "collapse", "tree")


@pytest.fixture(scope="module")
def chromium():
    with browser.running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write the report of a result, once."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name, make):
        path = folder / f"{name}.html"
        if not path.exists():
            make().report(path)
        return path

    return write


@pytest.fixture
def searched(pages):
    return pages("searched", report_pages.searched)


def all_right(opened):
    return not opened.errors and not opened.elsewhere and opened.overflow <= 0


def value(page, script):
    return page.evaluate(script)


def dots(page):
    """The clusters that are drawn boldly."""
    return value(
        page,
        """() => echarts.getInstanceByDom(document.getElementById("clusters-chart"))
        .getOption().series.filter((one) => one.id.startsWith("cluster ")
            && one.itemStyle.opacity > 0.5).map((one) => Number(one.id.slice(8))).sort()""",
    )


def count(page, label):
    return value(page, f"Report.labels().filter((one) => one === {label}).length")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 400])
def test_opens_without_errors_at_any_width(chromium, searched, width, dark):
    with browser.open_page(searched, width, dark=dark, browser=chromium) as opened:
        page = opened.page
        assert page.locator("h1").inner_text().startswith("4 clusters")
        for name in CHARTS:
            assert page.locator(f"#{name}-chart canvas, #{name}-chart svg").count() >= 1
        ground = value(page, "getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 200) == dark
        assert page.locator("main section").count() == 10
        assert opened.requests == [searched.as_uri()]
        assert all_right(opened)


def test_a_cluster_is_selected_everywhere(chromium, searched):
    with browser.open_page(searched, browser=chromium) as opened:
        page = opened.page
        assert dots(page) == [0, 1, 2, 3]
        page.locator('[data-chip="2"]').click()
        assert dots(page) == [2]
        assert page.locator('[data-chip="2"]').get_attribute("aria-pressed") == "true"
        assert page.locator("#selection").inner_text().startswith("Cluster 2: ")
        chosen = page.locator("#profile tr.chosen th")
        assert chosen.inner_text() == "Cluster 2"
        assert page.locator("#profile tr.dim").count() == 3
        page.locator("#profile tbody tr").nth(1).click()
        assert dots(page) == [1]
        page.keyboard.press("Tab")  # chips are reached by keys alone
        page.locator('[data-chip="all"]').focus()
        page.keyboard.press("Enter")
        assert dots(page) == [0, 1, 2, 3]
        assert all_right(opened)


def test_a_dot_tells_of_its_row_and_selects_its_cluster(chromium, searched):
    with browser.open_page(searched, browser=chromium) as opened:
        page = opened.page
        x, y, label, name = value(
            page,
            """() => {
            const place = document.getElementById("clusters-chart");
            place.scrollIntoView();
            const {x, y, label, name} = Report.data.rows;
            const row = x.indexOf(Math.max(...x));
            const [left, top] = echarts.getInstanceByDom(place)
                .convertToPixel({gridIndex: 0}, [x[row], y[row]]);
            const box = place.getBoundingClientRect();
            return [box.left + left, box.top + top, label[row], name[row]]; }""",
        )
        page.mouse.move(x - 3, y)
        page.mouse.move(x, y)
        tip = page.locator(".tip")
        tip.wait_for()
        assert f"Row {name}" in tip.inner_text()
        assert f"cluster {label}" in tip.inner_text()
        page.mouse.click(x, y)
        assert dots(page) == [label]
        assert all_right(opened)


def test_the_slider_moves_through_the_collapse(chromium, searched):
    from playwright.sync_api import expect

    with browser.open_page(searched, browser=chromium) as opened:
        page = opened.page
        spread = """() => { const all = echarts.getInstanceByDom(
            document.getElementById("collapse-chart")).getOption().series;
            const places = all.flatMap((one) => one.data).map((one) => one.slice(0, 2).join());
            return new Set(places).size; }"""
        slider = page.locator("#collapse-slider")
        begin = value(page, spread)
        slider.focus()
        page.keyboard.press("End")
        assert value(page, spread) < begin / 4
        assert "groups" in page.locator("#collapse-told").inner_text()
        assert slider.get_attribute("aria-valuetext").startswith("iteration ")
        page.keyboard.press("Home")
        assert value(page, spread) == begin
        page.locator("#collapse-play").click()
        expect(slider).not_to_have_value("0")
        page.locator("#collapse-play").click()
        assert page.locator("#collapse-play").inner_text() == "Play"
        assert all_right(opened)


def test_the_cut_of_the_tree_can_be_dragged(chromium, searched):
    with browser.open_page(searched, browser=chromium) as opened:
        page = opened.page
        told = page.locator("#tree-told")
        assert told.inner_text().startswith("4 clusters")
        # To a height between the last two merges, where there are two clusters.
        x, begin, end = value(
            page,
            """() => {
            const place = document.getElementById("tree-chart");
            place.scrollIntoView();
            const chart = echarts.getInstanceByDom(place);
            const heights = [...Report.data.tree.height].sort((a, b) => b - a);
            const top = place.getBoundingClientRect().top;
            const at = (height) => top + chart.convertToPixel({yAxisIndex: 0}, height);
            return [place.getBoundingClientRect().left + place.clientWidth / 2,
                    at(Report.data.tree.cut), at((heights[0] + heights[1]) / 2)]; }""",
        )
        page.mouse.move(x, begin)
        page.mouse.down()
        page.mouse.move(x, (begin + end) / 2)
        page.mouse.move(x, end)
        page.mouse.up()
        assert told.inner_text().startswith("2 clusters")
        page.locator("#tree-show").click()
        assert set(value(page, "Report.labels()")) == {0, 1}
        assert "the cut of the tree" in page.locator("#partition").inner_text()
        page.locator("#tree-slider").focus()
        page.keyboard.press("End")
        assert told.inner_text().startswith("1 cluster ")
        assert all_right(opened)


def test_a_pair_of_the_map_shows_its_partition(chromium, searched):
    with browser.open_page(searched, browser=chromium) as opened:
        page = opened.page
        k, x, y = value(
            page,
            """() => {
            const map = Report.data.map, place = document.getElementById("map-chart");
            place.scrollIntoView();
            const chart = echarts.getInstanceByDom(place);
            const point = chart.getOption().series[0].data.find((one) => map.k[one.value[2]] === 2);
            const [left, top] = chart.convertToPixel({gridIndex: 0}, point.value);
            const box = place.getBoundingClientRect();
            return [2, box.left + left, box.top + top]; }""",
        )
        page.mouse.click(x, y)
        assert len(set(value(page, "Report.labels()"))) == k
        assert f"with {k} clusters" in page.locator("#partition").inner_text()
        assert "shows its partition now" in page.locator("#map-told").inner_text()
        assert page.locator("[data-chip]").count() == 1 + k
        page.locator("#partition button").click()
        assert page.locator("[data-chip]").count() == 1 + 4
        page.locator("#map summary").click()
        page.locator("#map-table button").first.click()  # the same with keys alone
        assert (
            page.locator("#partition").is_visible()
            or "chosen" in page.locator("#map-told").inner_text()
        )
        assert all_right(opened)


def test_an_alternative_is_shown_in_the_picture(chromium, pages):
    path = pages("uncertain", report_pages.uncertain)
    with browser.open_page(path, browser=chromium) as opened:
        page = opened.page
        row = page.locator('tr[data-alternative="0"]')
        k = int(row.locator("td").first.inner_text())
        assert k != page.locator("#profile tbody tr").count()
        row.locator("button").click()
        assert len(set(value(page, "Report.labels()"))) == k
        assert page.locator("[data-chip]").count() == 1 + k
        assert all_right(opened)


def test_texts_of_the_data_run_nothing(chromium, pages):
    path = pages("hostile", report_pages.hostile)
    with browser.open_page(path, 400, browser=chromium) as opened:
        page = opened.page
        page.on("dialog", lambda dialog: opened.errors.append(dialog.message))
        page.locator("#weights-search").fill("<SCRIPT>")
        assert page.locator("#weights-count").inner_text() == "1 column"
        assert "<script>alert(1)</script>" in page.locator("#profile").inner_text()
        assert page.locator("img").count() == 0
        # One broken value does not press all other rows into a point.
        x = value(page, "Report.data.rows.x")
        assert len({round(one, 2) for one in x}) > 20
        assert all_right(opened)


def test_sixty_clusters(chromium, pages):
    path = pages("sixty", lambda: wbms(clouds(60, 600, 6), h=0.005, lam=1.0, init="uniform"))
    with browser.open_page(path, browser=chromium) as opened:
        page = opened.page
        assert page.locator("[data-chip]").count() == 61
        page.locator('[data-chip="59"]').click()
        assert dots(page) == [59]
        assert all_right(opened)


def test_many_columns_are_found_by_the_search(chromium, pages):
    path = pages("columns", report_pages.many_columns)
    with browser.open_page(path, browser=chromium) as opened:
        page = opened.page
        bars = """() => echarts.getInstanceByDom(document.getElementById("weights-chart"))
            .getOption().yAxis[0].data"""
        assert len(value(page, bars)) == 30
        assert (
            "10,000 columns, the heaviest 30 are shown"
            in page.locator("#weights-count").inner_text()
        )
        page.locator("#weights-search").fill("gene 9999")
        assert value(page, bars) == ["gene 9999"]
        assert all_right(opened)


def test_many_rows_are_drawn_thinned(chromium, pages):
    path = pages("rows", lambda: report_pages.of_many_rows(100_000, 3, 4))
    with browser.open_page(path, browser=chromium) as opened:
        page = opened.page
        assert "of 100,000 rows are drawn" in page.locator("#drawn-note").inner_text()
        page.locator('[data-chip="3"]').click()
        assert page.locator("#selection").inner_text().startswith("Cluster 3: 25,000 rows")
        assert all_right(opened)


def test_without_scripts_texts_and_tables_are_there(chromium, searched):
    with browser.open_page(searched, browser=chromium, java_script_enabled=False) as opened:
        page = opened.page
        assert "Scripts are switched off" in page.locator("noscript").inner_text()
        assert page.locator("#profile tbody tr").count() == 4


def test_prints_on_light_paper_within_its_margins(chromium, searched, tmp_path):
    with browser.open_page(searched, dark=True, browser=chromium) as opened:
        page = opened.page
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        ground = value(page, "getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(255, 255, 255)"
        assert value(page, "document.querySelector('#clusters-chart canvas').clientWidth") <= 660
        assert not page.locator("nav").is_visible()
        assert all_right(opened)


def test_everything_has_a_name_for_those_who_do_not_see_it(chromium, searched):
    with browser.open_page(searched, browser=chromium) as opened:
        nameless = value(
            opened.page,
            """() => [...document.querySelectorAll(
            "button, input, select, [role=img], [role=region], table, section")].filter((one) =>
            !one.textContent.trim() && !one.getAttribute("aria-label") && !one.labels?.length
            && !one.getAttribute("aria-labelledby")).map((one) => one.outerHTML.slice(0, 80))""",
        )
        assert not nameless
        assert value(opened.page, "document.documentElement.lang") == "en"
