// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISwarmCoordinator} from "../src/interfaces/ISwarmCoordinator.sol";
import {SwarmCoordinator} from "../src/SwarmCoordinator.sol";
import {CoordinatorFixture} from "./CoordinatorFixture.sol";

/// @dev Rows of RL Swarm's leaderboard, which nobody can prove here.
contract LeaderboardImportTest is CoordinatorFixture {
    function test_ImportsARowAndSaysSo() public {
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.LeaderboardRowImported("a", -5, 7);
        coordinator.importLeaderboard(_rows("a", -5, 7));
        (bool isImported, int256 rewards, uint256 wins) = coordinator.importedOf("a");
        vm.assertTrue(isImported);
        vm.assertTrue(rewards == -5);
        vm.assertEq(wins, 7);
        (isImported, , ) = coordinator.importedOf("b");
        vm.assertFalse(isImported);
    }

    function test_AnImportChangesNothingThatCallersClaimOrRead() public {
        claim(ALICE, "a");
        report(ALICE, 0, 0, 9, "a");
        nameWinners(ALICE, 0, list("a"), "a");
        coordinator.importLeaderboard(_rows("a", 100, 200));
        vm.assertTrue(totalOf("a") == 9);
        vm.assertEq(coordinator.getTotalWins("a"), 1);
        vm.assertEq(eoaOf("a"), ALICE);
        coordinator.importLeaderboard(_rows("b", 1, 1));
        vm.assertEq(eoaOf("b"), address(0));
        claim(BOB, "b");
        vm.assertTrue(totalOf("b") == 0);
    }

    function test_ImportsUntilTheFirstSettlement() public {
        for (uint256 i = 0; i < 2; ++i) coordinator.updateStageAndRound();
        coordinator.importLeaderboard(_rows("a", 1, 1));
        coordinator.updateStageAndRound();
        vm.expectRevert(abi.encodeWithSelector(ISwarmCoordinator.SwarmCoordinator_ImportClosed.selector, 3, 3));
        coordinator.importLeaderboard(_rows("b", 1, 1));
    }

    function test_RevertWhen_AnyoneElseImports() public {
        expectError(ISwarmCoordinator.OnlyOwner.selector);
        vm.prank(ALICE);
        coordinator.importLeaderboard(_rows("a", 1, 1));
    }

    function test_RevertWhen_APeerIsImportedTwice() public {
        coordinator.importLeaderboard(_rows("a", 0, 0));
        vm.expectRevert(abi.encodeWithSelector(ISwarmCoordinator.SwarmCoordinator_AlreadyImported.selector, "a"));
        coordinator.importLeaderboard(_rows("a", 1, 1));
        // Within one call, too; then nothing of it is kept.
        ISwarmCoordinator.LeaderboardRow[] memory rows = new ISwarmCoordinator.LeaderboardRow[](2);
        rows[0] = rows[1] = ISwarmCoordinator.LeaderboardRow("b", 1, 1);
        vm.expectRevert(abi.encodeWithSelector(ISwarmCoordinator.SwarmCoordinator_AlreadyImported.selector, "b"));
        coordinator.importLeaderboard(rows);
        (bool isImported, , ) = coordinator.importedOf("b");
        vm.assertFalse(isImported);
    }

    function test_RevertWhen_MoreAreImportedThanMayBe() public {
        uint256 most = coordinator.MAX_IMPORTED();
        ISwarmCoordinator.LeaderboardRow[] memory rows = new ISwarmCoordinator.LeaderboardRow[](most);
        for (uint256 i = 0; i < most; ++i) rows[i] = ISwarmCoordinator.LeaderboardRow(string(abi.encode(i)), 1, 1);
        coordinator.importLeaderboard(rows);
        vm.expectRevert(
            abi.encodeWithSelector(ISwarmCoordinator.SwarmCoordinator_TooManyImported.selector, most + 1, most)
        );
        coordinator.importLeaderboard(_rows("one more", 1, 1));
    }

    function test_AnUpgradeDoesNotOpenItAgain() public {
        coordinator.importLeaderboard(_rows("a", 1, 2));
        coordinator.upgradeToAndCall(address(new SwarmCoordinator(registry, rounds)), "");
        vm.expectRevert(abi.encodeWithSelector(ISwarmCoordinator.SwarmCoordinator_AlreadyImported.selector, "a"));
        coordinator.importLeaderboard(_rows("a", 1, 1));
    }

    function _rows(
        string memory peerId,
        int128 rewards,
        uint64 wins
    ) internal pure returns (ISwarmCoordinator.LeaderboardRow[] memory rows) {
        rows = new ISwarmCoordinator.LeaderboardRow[](1);
        rows[0] = ISwarmCoordinator.LeaderboardRow(peerId, rewards, wins);
    }
}
