// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ISwarmCoordinator} from "../src/interfaces/ISwarmCoordinator.sol";
import {Claims} from "../src/libraries/Claims.sol";
import {CoordinatorFixture} from "./CoordinatorFixture.sol";

/// @dev Peers, winners and rewards, as RL Swarm's contract 0.6.0 has them: manual rounds, no proofs.
contract SwarmCoordinatorTest is CoordinatorFixture {
    function test_BeginsAtRoundZeroWithOneStage() public view {
        vm.assertEq(coordinator.currentRound(), 0);
        vm.assertEq(coordinator.currentStage(), 0);
        vm.assertEq(coordinator.stageCount(), 1);
        vm.assertEq(coordinator.uniqueVoters(), 0);
        vm.assertEq(coordinator.getBootnodesCount(), 0);
        vm.assertEq(address(coordinator.peerRegistry()), address(registry));
        vm.assertEq(address(coordinator.rounds()), address(rounds));
    }

    /// @dev ERC-7201: no upgrade may move it.
    function test_ClaimsLieWhereTheirNameSays() public pure {
        uint256 name = uint256(keccak256("waggle.storage.SwarmCoordinator"));
        vm.assertEq(Claims.LOCATION, keccak256(abi.encode(name - 1)) & ~bytes32(uint256(0xff)));
    }

    function test_EachUpdateIsARound() public {
        for (uint256 round = 1; round < 4; ++round) {
            vm.expectEmit(address(coordinator));
            emit ISwarmCoordinator.RoundAdvanced(round);
            vm.expectEmit(address(coordinator));
            emit ISwarmCoordinator.StageAdvanced(round, 0);
            (uint256 now_, uint256 stage) = coordinator.updateStageAndRound();
            vm.assertEq(now_, round);
            vm.assertEq(stage, 0);
            vm.assertEq(coordinator.currentRound(), round);
            vm.assertEq(rounds.currentRound(), round);
        }
    }

    function test_OneAccountClaimsManyIds() public {
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.PeerRegistered(ALICE, "one");
        claim(ALICE, "one");
        claim(ALICE, "");
        claim(BOB, "two");
        vm.assertEq(peerIdsOf(ALICE).length, 2);
        vm.assertEq(peerIdsOf(ALICE)[0], "one");
        vm.assertEq(peerIdsOf(ALICE)[1], "");
        vm.assertEq(peerIdsOf(BOB)[0], "two");
        vm.assertEq(peerIdsOf(address(1)).length, 0);
        vm.assertEq(eoaOf("one"), ALICE);
        vm.assertEq(eoaOf(""), ALICE);
        vm.assertEq(eoaOf("three"), address(0));
    }

    function test_RevertWhen_AnIdIsClaimedTwice() public {
        claim(ALICE, "one");
        expectError(ISwarmCoordinator.PeerIdAlreadyRegistered.selector);
        claim(ALICE, "one");
        expectError(ISwarmCoordinator.PeerIdAlreadyRegistered.selector);
        claim(BOB, "one");
    }

    function test_CountsWinsVotesAndVoters() public {
        claim(ALICE, "one");
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.WinnerSubmitted(ALICE, "one", 0, list("x", "one"));
        nameWinners(ALICE, 0, list("x", "one"), "one");
        coordinator.updateStageAndRound();
        nameWinners(ALICE, 1, list("x", ""), "one");
        vm.assertEq(coordinator.getTotalWins("x"), 2);
        vm.assertEq(coordinator.getTotalWins("one"), 1);
        vm.assertEq(coordinator.getTotalWins(""), 1);
        vm.assertEq(coordinator.getVoterVoteCount("one"), 2);
        vm.assertEq(coordinator.uniqueVoters(), 1);
        vm.assertEq(coordinator.getVoterVotes(1, "one")[0], "x");
        vm.assertEq(coordinator.getVoterVotes(1, "one").length, 2);
        vm.assertEq(coordinator.getVoterVotes(2, "one").length, 0);
    }

    /// @dev An empty vote counts as a vote, and leaves the round open.
    function test_AnEmptyVoteMayBeRepeated() public {
        claim(ALICE, "one");
        nameWinners(ALICE, 0, new string[](0), "one");
        nameWinners(ALICE, 0, new string[](0), "one");
        nameWinners(ALICE, 0, list("x"), "one");
        vm.assertEq(coordinator.getVoterVoteCount("one"), 3);
        vm.assertEq(coordinator.uniqueVoters(), 1);
        expectError(ISwarmCoordinator.WinnerAlreadyVoted.selector);
        nameWinners(ALICE, 0, new string[](0), "one");
    }

    /// @dev Each refusal is met with every later one present as well: the order is what a caller sees.
    function test_RevertWhen_WinnersAreWrong_InThisOrder() public {
        claim(ALICE, "one");
        nameWinners(ALICE, 0, list("x"), "one");
        string[] memory twice = list("x", "x");
        expectError(ISwarmCoordinator.InvalidRoundNumber.selector);
        nameWinners(BOB, 1, twice, "one");
        expectError(ISwarmCoordinator.WinnerAlreadyVoted.selector);
        nameWinners(BOB, 0, twice, "one");
        coordinator.updateStageAndRound();
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        nameWinners(BOB, 1, twice, "one");
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        nameWinners(BOB, 1, twice, "nobody's");
        expectError(ISwarmCoordinator.InvalidVote.selector);
        nameWinners(ALICE, 1, twice, "one");
        string[] memory apart = new string[](3);
        (apart[0], apart[1], apart[2]) = ("x", "y", "x");
        expectError(ISwarmCoordinator.InvalidVote.selector);
        nameWinners(ALICE, 1, apart, "one");
        vm.assertEq(coordinator.getTotalWins("x"), 1);
    }

    function test_SumsRewardsByPeerAndByAccount() public {
        claim(ALICE, "one");
        claim(ALICE, "two");
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.RewardSubmitted(ALICE, 0, 0, 5, "one");
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.CumulativeRewardsUpdated(ALICE, "one", 5);
        report(ALICE, 0, 0, 5, "one");
        report(ALICE, 0, 0, -7, "two");
        coordinator.updateStageAndRound();
        report(ALICE, 1, 0, 10, "one");
        vm.assertTrue(coordinator.hasSubmittedRoundStageReward(0, 0, "one"));
        vm.assertFalse(coordinator.hasSubmittedRoundStageReward(0, 1, "one"));
        vm.assertTrue(sumOf(0, 0, ALICE) == -2);
        vm.assertTrue(sumOf(1, 0, ALICE) == 10);
        vm.assertTrue(sumOf(0, 0, BOB) == 0);
        vm.assertTrue(totalOf("one") == 15);
        vm.assertTrue(totalOf("two") == -7);
    }

    function test_StageOneOfAPastRoundPasses() public {
        claim(ALICE, "one");
        coordinator.updateStageAndRound();
        report(ALICE, 0, 1, 3, "one");
        report(ALICE, 0, 0, 4, "one");
        vm.assertTrue(sumOf(0, 1, ALICE) == 3);
        vm.assertTrue(totalOf("one") == 7);
        expectError(ISwarmCoordinator.InvalidStageNumber.selector);
        report(ALICE, 0, 2, 3, "one");
        expectError(ISwarmCoordinator.InvalidStageNumber.selector);
        report(ALICE, 1, 1, 3, "one");
    }

    function test_RevertWhen_ARewardIsWrong_InThisOrder() public {
        claim(ALICE, "one");
        report(ALICE, 0, 0, 1, "one");
        expectError(ISwarmCoordinator.InvalidRoundNumber.selector);
        report(BOB, 1, 9, 1, "one");
        expectError(ISwarmCoordinator.InvalidStageNumber.selector);
        report(BOB, 0, 9, 1, "one");
        expectError(ISwarmCoordinator.RewardAlreadySubmitted.selector);
        report(BOB, 0, 0, 1, "one");
        coordinator.updateStageAndRound();
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        report(BOB, 1, 0, 1, "one");
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        report(BOB, 1, 0, 1, "nobody's");
    }

    function testFuzz_AnUnsignedRewardWraps(uint256 reward) public {
        claim(ALICE, "one");
        vm.prank(ALICE);
        coordinator.submitReward(0, 0, reward, "one");
        vm.assertEq(uint256(totalOf("one")), reward);
    }

    /// @dev Checked arithmetic: a sum that does not fit fails, and changes nothing.
    function test_RevertWhen_RewardsOverflow() public {
        claim(ALICE, "one");
        report(ALICE, 0, 0, type(int256).max, "one");
        coordinator.updateStageAndRound();
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        report(ALICE, 1, 0, 1, "one");
        vm.assertFalse(coordinator.hasSubmittedRoundStageReward(1, 0, "one"));
        report(ALICE, 1, 0, -1, "one");
    }

    function test_RevertWhen_InitializedAgain() public {
        expectError(Initializable.InvalidInitialization.selector);
        coordinator.initialize(ALICE);
        expectError(Initializable.InvalidInitialization.selector);
        implementation.initialize(ALICE);
    }
}
