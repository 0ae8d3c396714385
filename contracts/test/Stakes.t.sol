// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Stakes} from "../src/Stakes.sol";
import {IStakes} from "../src/interfaces/IStakes.sol";
import {StakesFixture} from "./StakesFixture.sol";

contract StakesTest is StakesFixture {
    function test_NamesItsParts() public view {
        vm.assertEq(address(stakes.token()), address(nectar));
        vm.assertEq(stakes.rewardVotes(), address(votes));
        vm.assertEq(stakes.challenges(), address(challenges));
        vm.assertEq(address(stakes.peerRegistry()), address(registry));
        vm.assertEq(address(stakes.rounds()), address(rounds));
        vm.assertEq(stakes.bootstrapRounds(), BOOTSTRAP);
        vm.assertEq(stakes.UNBONDING_ROUNDS(), 12);
        vm.assertEq(stakes.MIN_SHARE_MILLI(), 500);
        vm.assertEq(stakes.fullStakeOf(EVALUATOR), SEAT_WEI);
        vm.assertEq(stakes.fullStakeOf(PROPOSER), TASKS_WEI);
        vm.assertEq(stakes.openings(), address(openings));
    }

    function test_IsWiredOnceByItsDeployer() public {
        expectNotWirable(address(this));
        stakes.wire(address(nectar), address(this), address(this), address(this));

        Stakes fresh = new Stakes(registry, rounds, 1);
        expectNotWirable(address(challenges));
        vm.prank(address(challenges));
        fresh.wire(address(nectar), address(votes), address(challenges), address(openings));
        vm.expectEmit(address(fresh));
        emit IStakes.Wired(address(nectar), address(votes), address(0), address(openings), 1);
        fresh.wire(address(nectar), address(votes), address(0), address(openings));
    }

    function test_StakesTheFullAmount() public {
        bytes32 peer = evaluators[0];
        address account = registry.accountOf(peer);
        give(account, SEAT_WEI + 7);
        vm.prank(account);
        nectar.approve(address(stakes), SEAT_WEI);
        vm.expectEmit(address(stakes));
        emit IStakes.Staked(EVALUATOR, peer, account, SEAT_WEI, SEAT_WEI);
        vm.prank(account);
        stakes.stake(EVALUATOR, peer);
        vm.assertEq(nectar.balanceOf(account), 7);
        vm.assertEq(nectar.balanceOf(address(stakes)), SEAT_WEI);
        vm.assertEq(amountOf(EVALUATOR, peer), SEAT_WEI);
    }

    function test_RevertWhen_TheSenderDoesNotSpeakForThePeer() public {
        stakeFor(EVALUATOR, evaluators[0]);
        address mallory = address(0xBAD);
        expectNotAccount(evaluators[1], mallory);
        vm.prank(mallory);
        stakes.stake(EVALUATOR, evaluators[1]);
        expectNotAccount(evaluators[0], mallory);
        vm.prank(mallory);
        stakes.unstake(EVALUATOR, evaluators[0]);
    }

    function test_RevertWhen_ThereIsNotEnoughNectar() public {
        address account = registry.accountOf(evaluators[0]);
        vm.prank(account);
        nectar.approve(address(stakes), type(uint256).max);
        vm.expectRevert(
            abi.encodeWithSignature("ERC20InsufficientBalance(address,uint256,uint256)", account, 0, SEAT_WEI)
        );
        vm.prank(account);
        stakes.stake(EVALUATOR, evaluators[0]);
    }

    function test_RevertWhen_TheStakeIsWhole() public {
        stakeFor(PROPOSER, solvers[1]);
        address account = registry.accountOf(solvers[1]);
        vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_Whole.selector, PROPOSER, solvers[1]));
        stakeAs(account, PROPOSER, solvers[1]);
    }

    /// @dev Rounded down; a stake that is gone pays nobody.
    function test_HalfOfASlashIsPaidToWhoWasWronged() public {
        address wronged = address(0xB0B);
        stakeFor(EVALUATOR, evaluators[0]);
        uint256 supply = nectar.totalSupply();
        vm.expectEmit(address(stakes));
        emit IStakes.Compensated(EVALUATOR, evaluators[0], wronged, 25 ether);
        vm.prank(address(votes));
        stakes.slash(EVALUATOR, evaluators[0], 500, wronged);
        vm.assertEq(nectar.balanceOf(wronged), 25 ether);
        vm.assertEq(nectar.totalSupply(), supply - 25 ether);
        vm.assertEq(nectar.balanceOf(address(stakes)), 50 ether);
        slash(EVALUATOR, evaluators[0], 500);
        vm.prank(address(votes));
        stakes.slash(EVALUATOR, evaluators[0], 500, wronged);
        vm.assertEq(nectar.balanceOf(wronged), 25 ether);
    }

    function test_ASlashIsBurntAndMadeWholeAgain() public {
        stakeFor(EVALUATOR, evaluators[0]);
        uint256 supply = nectar.totalSupply();
        vm.expectEmit(address(stakes));
        emit IStakes.Slashed(EVALUATOR, evaluators[0], address(votes), 20 ether, 80 ether);
        vm.assertEq(slash(EVALUATOR, evaluators[0], 200), 20 ether);
        vm.assertEq(nectar.totalSupply(), supply - 20 ether);
        vm.assertEq(nectar.balanceOf(address(stakes)), 80 ether);

        address account = registry.accountOf(evaluators[0]);
        give(account, 20 ether);
        vm.prank(account);
        stakes.stake(EVALUATOR, evaluators[0]);
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), SEAT_WEI);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 1);
    }

    function test_NoSlashIsAboveTheStake() public {
        stakeFor(EVALUATOR, evaluators[0]);
        stakeFor(EVALUATOR, evaluators[1]);
        slash(EVALUATOR, evaluators[0], 700);
        vm.assertEq(slash(EVALUATOR, evaluators[0], 700), 30 ether);
        vm.assertEq(slash(EVALUATOR, evaluators[0], 700), 0);
        vm.assertEq(amountOf(EVALUATOR, evaluators[1]), SEAT_WEI);
    }

    /// @dev An indexer takes every `Slashed` for something lost.
    function test_AnEmptyStakeIsPassedOverInSilence() public {
        vm.recordLogs();
        uint256 lostWei = slash(EVALUATOR, evaluators[0], 700);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(lostWei, 0);
    }

    function test_WhoIsLeftWithTooLittleLosesTheSeat() public {
        stakeFor(EVALUATOR, evaluators[0]);
        slash(EVALUATOR, evaluators[0], 500);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 1);
        slash(EVALUATOR, evaluators[0], 1);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 0);
    }

    function test_AProposersSlashTouchesNoSeat() public {
        stakeFor(EVALUATOR, evaluators[0]);
        stakeFor(PROPOSER, evaluators[0]);
        slash(PROPOSER, evaluators[0], 1000);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 1);
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), SEAT_WEI);
        vm.assertEq(amountOf(PROPOSER, evaluators[0]), 0);
    }

    /// @dev `Challenges` blames seats through `RewardVotes`.
    function test_RevertWhen_AnotherSlashes() public {
        stakeFor(EVALUATOR, evaluators[0]);
        address[2] memory others = [address(this), address(challenges)];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_NotSlasher.selector, others[i]));
            vm.prank(others[i]);
            stakes.slash(EVALUATOR, evaluators[0], 1, address(0));
        }
        vm.prank(address(openings));
        vm.assertEq(stakes.slash(PROPOSER, solvers[0], 1, address(0)), 0);
    }

    function test_LeavesAfterItsNotice() public {
        bytes32 peer = evaluators[0];
        stakeFor(EVALUATOR, peer);
        expectNotFree(peer, 0, 4);
        stakes.withdraw(EVALUATOR, peer);
        address account = registry.accountOf(peer);
        vm.expectEmit(address(stakes));
        emit IStakes.Unstaking(EVALUATOR, peer, 17);
        unstakeAs(account, EVALUATOR, peer);
        enterRound(16);
        expectNotFree(peer, 17, 16);
        stakes.withdraw(EVALUATOR, peer);
        enterRound(17);
        vm.expectEmit(address(stakes));
        emit IStakes.Withdrawn(EVALUATOR, peer, account, SEAT_WEI);
        vm.assertEq(stakes.withdraw(EVALUATOR, peer), SEAT_WEI);
        vm.assertEq(nectar.balanceOf(account), SEAT_WEI);
        vm.assertEq(nectar.balanceOf(address(stakes)), 0);
        expectNotFree(peer, 0, 17);
        stakes.withdraw(EVALUATOR, peer);
    }

    function test_RevertWhen_NoticeIsGivenTwiceOrOfNothing() public {
        address account = registry.accountOf(evaluators[0]);
        expectNotStaked(evaluators[0]);
        unstakeAs(account, EVALUATOR, evaluators[0]);
        stakeFor(EVALUATOR, evaluators[0]);
        unstake(EVALUATOR, evaluators[0]);
        expectNotStaked(evaluators[0]);
        unstakeAs(account, EVALUATOR, evaluators[0]);
    }

    function test_ANoticeIsTakenBack() public {
        stakeFor(EVALUATOR, evaluators[0]);
        unstake(EVALUATOR, evaluators[0]);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 0);
        vm.prank(registry.accountOf(evaluators[0]));
        stakes.stake(EVALUATOR, evaluators[0]);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 1);
        enterRound(17);
        expectNotFree(evaluators[0], 0, 17);
        stakes.withdraw(EVALUATOR, evaluators[0]);
    }

    function test_AStakeCannotFleeASlash() public {
        stakeFor(EVALUATOR, evaluators[0]);
        unstake(EVALUATOR, evaluators[0]);
        enterRound(10);
        vm.assertEq(slash(EVALUATOR, evaluators[0], 500), 50 ether);
        enterRound(17);
        vm.assertEq(stakes.withdraw(EVALUATOR, evaluators[0]), 50 ether);
    }

    function test_WhatWasSlashedToNothingCannotBeWithdrawn() public {
        stakeFor(PROPOSER, solvers[0]);
        unstake(PROPOSER, solvers[0]);
        slash(PROPOSER, solvers[0], 1000);
        enterRound(17);
        vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_NotFree.selector, PROPOSER, solvers[0], 17, 17));
        stakes.withdraw(PROPOSER, solvers[0]);
    }

    function test_ProposersStakeAfterBootstrap() public {
        bytes32 peer = solvers[2];
        vm.assertTrue(stakes.mayPropose(peer, BOOTSTRAP - 1));
        vm.assertFalse(stakes.mayPropose(peer, BOOTSTRAP));
        stakeFor(PROPOSER, peer);
        vm.assertTrue(stakes.mayPropose(peer, BOOTSTRAP));
        slash(PROPOSER, peer, 500);
        vm.assertTrue(stakes.mayPropose(peer, BOOTSTRAP));
        unstake(PROPOSER, peer);
        // The second round that had not begun at the notice.
        vm.assertTrue(stakes.mayPropose(peer, BOOTSTRAP));
        vm.assertFalse(stakes.mayPropose(peer, BOOTSTRAP + 1));
        vm.assertFalse(stakes.mayPropose(peer, type(uint64).max));
        give(registry.accountOf(peer), 25 ether);
        vm.prank(registry.accountOf(peer));
        stakes.stake(PROPOSER, peer);
        slash(PROPOSER, peer, 501);
        vm.assertFalse(stakes.mayPropose(peer, BOOTSTRAP));
    }

    /// @dev With any slashes, the remaining and the burnt stakes add up to the staked amount.
    function testFuzz_SlashesBurnAndNeverReachAnotherStake(uint16[5] calldata shares) public {
        stakeFor(EVALUATOR, evaluators[0]);
        stakeFor(PROPOSER, evaluators[0]);
        uint256 supply = nectar.totalSupply();
        uint256 burnt = 0;
        for (uint256 i = 0; i < 5; ++i) {
            burnt += slash(EVALUATOR, evaluators[0], shares[i] % 1001);
            bool isEnough = amountOf(EVALUATOR, evaluators[0]) >= SEAT_WEI / 2;
            vm.assertEq(votes.seatsAt(BOOTSTRAP).length, isEnough ? 1 : 0);
        }
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]) + burnt, SEAT_WEI);
        vm.assertEq(amountOf(PROPOSER, evaluators[0]), TASKS_WEI);
        vm.assertEq(nectar.totalSupply() + burnt, supply);
        vm.assertEq(nectar.balanceOf(address(stakes)) + burnt, SEAT_WEI + TASKS_WEI);
    }

    function expectNotWirable(address account) internal {
        vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_NotWirable.selector, account));
    }

    function expectNotAccount(bytes32 peerKey, address account) internal {
        vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_NotPeerAccount.selector, peerKey, account));
    }

    function expectNotStaked(bytes32 peerKey) internal {
        vm.expectRevert(abi.encodeWithSelector(IStakes.Stakes_NotStaked.selector, EVALUATOR, peerKey));
    }

    function expectNotFree(bytes32 peerKey, uint64 freeFromRound, uint64 current) internal {
        vm.expectRevert(
            abi.encodeWithSelector(IStakes.Stakes_NotFree.selector, EVALUATOR, peerKey, freeFromRound, current)
        );
    }
}
