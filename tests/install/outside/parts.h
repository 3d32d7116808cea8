// What this program tries of kith, an area in each file. Each function says whether it works.
#pragma once

bool text_works();
bool sketches_work();
bool groups_work();
